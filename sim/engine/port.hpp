// Typed first-in first-out ports between components. The latency lives on the join and is charged once per message. In C++,
// joining ports of different message types does not compile; from YAML, PortList finds ports by name and compares their
// message types, so that the mistake is a Diagnostic at the link's own line.
//
//   InPort<ReadRequest> requests_{on<&Disk::serve>, this};      handler: void serve(const ReadRequest&)
//   InPort<ReadRequest> requests_{on<&Disk::serve>, this, 8};   at most 8 held; call requests_.release() when one is done
//   OutPort<ReadDone> done_;                                    done_.send(ReadDone{...});
//
// A message is any default-constructible, movable value. An out port has one receiver; an in port may have several senders.
// Messages from one sender never overtake each other; a full receiver blocks all those behind the first one that waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/diagnostic.hpp"
#include "sim/base/units.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/ring.hpp"

namespace tantalus {

/// Which C++ type a port carries; compared by address, never ordered.
struct MessageType {
  std::string_view (*name)();
};

/// The type's own name, without namespaces: "ReadRequest". For diagnostics only.
std::string_view type_name_in(std::string_view signature);

template <class Message>
std::string_view message_name() {
  return type_name_in(__PRETTY_FUNCTION__);
}
template <class Message>
inline constexpr MessageType message_type{&message_name<Message>};

class InPortBase {
 public:
  explicit InPortBase(const MessageType* type) : type_(type) {}
  InPortBase(const InPortBase&) = delete;
  InPortBase& operator=(const InPortBase&) = delete;

  const MessageType& type() const { return *type_; }
  bool joined() const { return senders_ > 0; }

 protected:
  ~InPortBase() = default;
  std::uint32_t senders_ = 0;

 private:
  const MessageType* type_;
};

class OutPortBase {
 public:
  explicit OutPortBase(const MessageType* type) : type_(type) {}
  OutPortBase(const OutPortBase&) = delete;
  OutPortBase& operator=(const OutPortBase&) = delete;

  const MessageType& type() const { return *type_; }
  virtual bool joined() const = 0;
  /// For PortList, which has compared the types.
  virtual void join_checked(Engine& engine, InPortBase& in, Duration latency) = 0;

 protected:
  ~OutPortBase() = default;

 private:
  const MessageType* type_;
};

template <class Message>
class OutPort;

/// Where messages arrive. The handler is bound once; it is called in Phase::deliver.
template <class Message>
class InPort final : public InPortBase {
 public:
  static constexpr std::size_t unbounded = 0;

  template <auto handler, class T>
  InPort(On<handler>, T* object, std::size_t capacity = unbounded)
      : InPortBase(&message_type<Message>),
        handler_(&call<handler, T>),
        object_(object),
        capacity_(capacity) {}

  /// A bounded port: one message held by the component is done; the first that waits outside comes in, this instant.
  void release() {
    TANTALUS_CHECK(held_ > 0, "a port releases only what it holds");
    --held_;
    if (!waiting_.empty()) engine_->at(engine_->now(), Phase::deliver, {on<&InPort::admit>, this});
  }
  std::size_t held() const { return held_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  friend class OutPort<Message>;

  template <auto handler, class T>
  static void call(void* object, const Message& message) {
    std::invoke(handler, *static_cast<T*>(object), message);
  }
  bool full() const { return capacity_ != unbounded && (held_ >= capacity_ || !waiting_.empty()); }
  void accept(const Message& message) {
    if (capacity_ != unbounded) ++held_;
    handler_(object_, message);
  }
  void admit() {
    while (!waiting_.empty() && held_ < capacity_) accept(waiting_.pop()->take());
  }

  void (*handler_)(void* object, const Message& message);
  void* object_;
  std::size_t capacity_;
  std::size_t held_ = 0;
  Engine* engine_ = nullptr;
  Ring<OutPort<Message>*> waiting_;  // one entry per message that arrived and found the port full
};

/// Where messages leave. Those under way wait in the port's ring: one latency, so arrival order is sending order.
template <class Message>
// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class OutPort final : public OutPortBase {
 public:
  OutPort() : OutPortBase(&message_type<Message>) {}

  void join(Engine& engine, InPort<Message>& in, Duration latency) {
    TANTALUS_CHECK(in_ == nullptr, "an out port has one receiver");
    TANTALUS_CHECK(latency >= Duration{0}, "a latency is not negative");
    engine_ = &engine;
    in_ = &in;
    latency_ = latency;
    in.engine_ = &engine;
    ++in.senders_;
  }
  void send(Message message) {
    TANTALUS_CHECK(in_ != nullptr, "a message is sent through a port that is not joined");
    under_way_.push(std::move(message));
    engine_->at(engine_->now() + latency_, Phase::deliver, {on<&OutPort::arrive>, this});
  }

  bool joined() const override { return in_ != nullptr; }
  Duration latency() const { return latency_; }
  /// Messages sent and not yet taken by the receiver.
  std::size_t under_way() const { return under_way_.size(); }

  void join_checked(Engine& engine, InPortBase& in, Duration latency) override {
    TANTALUS_CHECK(&in.type() == &message_type<Message>, "ports of different messages are joined");
    join(engine, static_cast<InPort<Message>&>(in), latency);
  }

 private:
  friend class InPort<Message>;

  Message take() { return under_way_.pop(); }
  void arrive() {
    if (in_->full()) {
      in_->waiting_.push(this);
    } else {
      in_->accept(take());
    }
  }

  Engine* engine_ = nullptr;
  InPort<Message>* in_ = nullptr;
  Duration latency_;
  Ring<Message> under_way_;
};

/// The ports of one component by name. `required` ports must be joined before the start.
class PortList {
 public:
  enum class Need : std::uint8_t { required, optional };
  struct Entry {
    std::string name;
    InPortBase* in = nullptr;  // exactly one of the two
    OutPortBase* out = nullptr;
    Need need = Need::required;

    bool joined() const { return in != nullptr ? in->joined() : out->joined(); }
  };

  void add(std::string name, InPortBase& port, Need need = Need::required);
  void add(std::string name, OutPortBase& port, Need need = Need::required);

  const Entry* find(std::string_view name) const;
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<std::string> names() const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace tantalus
