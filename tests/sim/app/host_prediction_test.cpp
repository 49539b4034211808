#include "sim/app/host_prediction.hpp"

#include <fstream>

#include <doctest/doctest.h>

#include "sim/app/detected_files.hpp"
#include "tests/sim/app/console.hpp"
#include "tests/sim/app/test_machine.hpp"

namespace tantalus::testing {

namespace {

constexpr const char* network_text =
    "tantalus: network/1\nname: test\nsources: {\"*\": test}\ninput: {image: [64, 56, 56]}\n"
    "classes: 10\nlayers:\n  - {name: conv, kind: conv2d, out: 64, kernel: 3, pad: 1}\n"
    "  - {name: relu, kind: relu}\n  - {name: fc, kind: linear, out: 10}\n";

// The test machine's files and a network in one folder.
class Fixture {
 public:
  Fixture() : files_({TANTALUS_SOURCE_DIR}), network_("net.yaml", network_text) {
    const auto texts = detected_files(files_, machine_of(machine_rows()), "here");
    REQUIRE(texts);
    for (const auto& [name, text] : *texts) std::ofstream(folder() + "/" + name) << text;
    const Result<FileText> system = files_.read(folder() + "/here.yaml");
    REQUIRE(system);
    system_ = *system;
  }
  std::string folder() const { return folder_of(network_.path()); }

  std::vector<PredictedTime> tasks(HostRates rates, std::int64_t batch = 1,
                                   Mode mode = Mode::inference) {
    const HostPredictor predictor(files_, system_, "onednn", rates);
    REQUIRE(predictor.plan());
    const std::size_t count = mode == Mode::training ? 10 : 3;
    std::vector<HostWork> work;
    for (std::size_t i = 0; i < count; ++i) work.push_back({i, false, 0});
    return times(predictor, work, batch, mode);
  }
  std::vector<PredictedTime> work(const std::vector<HostWork>& work, std::int64_t block = 1,
                                  std::int64_t batch = 1) {
    const HostPredictor predictor(files_, system_, "onednn", {});
    return times(predictor, work, batch, Mode::inference, block);
  }

 private:
  std::vector<PredictedTime> times(const HostPredictor& predictor,
                                   const std::vector<HostWork>& work, std::int64_t batch, Mode mode,
                                   std::int64_t block = 1) {
    const auto times =
        predictor.times({"net", network_.path(), batch, mode, "onednn"}, work, block);
    REQUIRE(times);
    return *times;
  }

  Files files_;
  TemporaryFile network_;
  FileText system_;
};

double ratio(Duration a, Duration b) {
  return static_cast<double>(a.count()) / static_cast<double>(b.count());
}

}  // namespace

TEST_CASE("each task of the lowered step has a time inside its interval") {
  Fixture here;

  const auto inference = here.tasks({}), training = here.tasks({}, 1, Mode::training);

  REQUIRE(inference.size() == 3);
  CHECK(inference[0].layer == "conv");
  CHECK(inference[0].pass == "forward");
  CHECK(training.size() > 2 * inference.size());
  for (const PredictedTime& p : training) {
    INFO(p.layer, " ", p.pass);
    CHECK(p.time > Duration{});
    CHECK(p.low <= p.time);
    CHECK(p.high >= p.time);
  }
}

TEST_CASE(
    "the probed multiply-add rate sets the clock: half the rate, twice the time of arithmetic") {
  Fixture here;

  const Duration fast = here.tasks({100e9, 0})[0].time, slow = here.tasks({50e9, 0})[0].time;

  // The clock drives caches too; only main memory keeps its pace.
  CHECK(ratio(slow, fast) == doctest::Approx(2.0).epsilon(0.05));
}

TEST_CASE("the probed memory rate is that of one core") {
  Fixture here;
  // ReLU of 64 x 64 x 56 x 56: 51 MB read and as many written, far beyond the caches of the test machine.
  const auto relu = [&](double rate) { return here.tasks({100e9, rate}, 64)[1].time; };

  CHECK(ratio(relu(5e9), relu(10e9)) == doctest::Approx(2.0).epsilon(0.05));
}

TEST_CASE("a file without a third level stands as it is, whatever was probed of one") {
  Fixture here;
  const auto relu = [&](double reach) {
    return here.tasks({0.1e12, 10e9, reach, 50e9, 1e9}, 4)[1];
  };

  CHECK(relu(1e6).time == relu(0).time);
  CHECK(relu(1e6).time.count() > 0);
}

TEST_CASE("a change of layout is a copy in front of its task") {
  Fixture here;
  const auto with = here.work({{0}, {1}, {2, true, 80e6}, {2}});

  REQUIRE(with.size() == 4);
  // 40 MB out of memory, 40 MB in and back: twice as many take twice as long.
  const auto twice = here.work({{0}, {1}, {2, true, 160e6}, {2}});
  CHECK(ratio(twice[2].time, with[2].time) == doctest::Approx(2.0).epsilon(0.05));
}

TEST_CASE("a change of layout that moves single numbers takes longer than one that moves vectors") {
  Fixture here;
  // An image of 64 x 56 x 56.
  const auto by_vector = here.work({{0}, {1}, {2, true, 1.605632e6}, {2}});
  const auto by_number = here.work({{0}, {1}, {2, true, 1.605632e6, true}, {2}});

  CHECK(by_number[2].time > by_vector[2].time);
}

TEST_CASE("a task that did not run alone counts in the one before it") {
  Fixture here;
  const auto apart = here.work({{0}, {1}, {2}}), together = here.work({{0}, {2}});

  REQUIRE(together.size() == 2);
  CHECK(together[0].time == apart[0].time + apart[1].time);
}

TEST_CASE("loops over images in blocks of channels pass over the padding") {
  Fixture here;
  // 64 channels in blocks of 48 lie in 96: half as much again, far beyond the caches.
  const std::vector<HostWork> all{{0}, {1}, {2}};
  const auto plain = here.work(all, 1, 64), padded = here.work(all, 48, 64);

  CHECK(ratio(padded[1].time, plain[1].time) == doctest::Approx(1.5).epsilon(0.02));
  CHECK(padded[2].roofline == plain[2].roofline);
}

}  // namespace tantalus::testing
