// A whole new kind of device in one file, with public headers only: what docs/add-a-device.md describes. A "toy" answers each
// request after its access time plus the size at its bandwidth; a "child" asks for three things, one after the other.
#include <doctest/doctest.h>

#include "sim/engine/machine.hpp"
#include "sim/hardware/device_kind.hpp"
#include "sim/hardware/fabric.hpp"
#include "sim/hardware/system_plan.hpp"

namespace tantalus {
namespace {

struct Parcel {
  Bytes size;
};

struct ToySpec {
  Duration access;
  Bandwidth bandwidth;
};
template <class Visitor>
void describe(Visitor& v, ToySpec& s) {
  v.required("access", s.access, positive, "from a request to its first byte");
  v.required("bandwidth", s.bandwidth, positive, "rate of its bytes");
}

class Toy final : public Component {
 public:
  Toy(Engine& engine, DeviceId id, std::string name, ToySpec spec)
      : Component(engine, id, std::move(name)), spec_(spec) {}
  void list_ports(PortList& ports) override {
    ports.add("asks", asks_);
    ports.add("answers", answers_);
  }

 private:
  void serve(const Parcel& ask) {
    size_ = ask.size;
    engine().after(spec_.access + ask.size / spec_.bandwidth, {on<&Toy::done>, this});
  }
  void done() { answers_.send({size_}); }
  ToySpec spec_;
  Bytes size_;
  InPort<Parcel> asks_{on<&Toy::serve>, this};
  OutPort<Parcel> answers_;
};

class Child final : public Component {
 public:
  using Component::Component;
  void list_ports(PortList& ports) override {
    ports.add("asks", asks_);
    ports.add("answers", answers_);
  }
  void start() override { asks_.send({Bytes{1'000}}); }
  int answered = 0;

 private:
  void hear(const Parcel&) {
    if (++answered < 3) asks_.send({Bytes{1'000}});
  }
  OutPort<Parcel> asks_;
  InPort<Parcel> answers_{on<&Child::hear>, this};
};

constexpr DeviceKind toy_kind{"toy", "a toy that answers", &read_device<Toy, ToySpec>};

TEST_CASE("a new kind of device is read, built, joined and run") {
  const YamlNode body = parse_yaml("{access: 2 us, bandwidth: 1 GB/s}", "toy.yaml")->root;
  const ReadDevice plan = toy_kind.read({body, {}, {}});
  Machine machine;
  Fabric& fabric = machine.emplace<Fabric>("fabric");
  machine.add("toy", [&](Engine& engine, DeviceId id, std::string name) {
    return plan.value()->make({engine, id, std::move(name), fabric});
  });
  const Child& child = machine.emplace<Child>("child");
  REQUIRE(machine.join({{"child", "asks"}, {"toy", "asks"}, Duration{0}, {}, ""}).empty());
  REQUIRE(machine.join({{"toy", "answers"}, {"child", "answers"}, Duration{0}, {}, ""}).empty());
  REQUIRE(machine.start().empty());

  machine.run();

  CHECK(child.answered == 3);
  CHECK(machine.engine().now().since_start() == Duration{3 * (2'000'000 + 1'000'000)});
}

}  // namespace
}  // namespace tantalus
