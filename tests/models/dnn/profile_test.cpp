#include "models/dnn/profile.hpp"

#include <string>
#include <vector>

#include "source_dir.hpp"
#include "tests/models/dnn/networks.hpp"

namespace tantalus {
namespace {

Profile profiled(const Network& network, Convention convention, Mode mode = Mode::inference,
                 std::int64_t batch = 1) {
  ProfileOptions options;
  options.convention = convention;
  options.mode = mode;
  options.batch = batch;
  return profile(network, options);
}

std::vector<std::int64_t> ops_of(const Profile& profile) {
  std::vector<std::int64_t> ops;
  for (const LayerProfile& row : profile.layers) ops.push_back(row.ops);
  return ops;
}

TEST_CASE("the lecture's convention gives the lecture's table for its LeNet, 295,700 in all") {
  const Profile lecture = profiled(named_network("lenet"), Convention::lecture);

  const std::vector<std::int64_t> printed = {89'856, 6'912, 2'592, 154'624, 2'048, 768,
                                             30'720, 240,   7'200, 120,     600,   20};
  CHECK(ops_of(lecture) == printed);
  CHECK(lecture.totals.ops == 295'700);
  CHECK(lecture.totals.macs == 278'520);
  CHECK(lecture.totals.parameters == 41'282);
  CHECK(lecture.warnings.empty());
}

TEST_CASE("flops are two a multiply-add, and other arithmetic stands apart") {
  const Profile flops = profiled(named_network("lenet"), Convention::flops);
  CHECK(flops.totals.ops == 557'040);
  CHECK(flops.totals.flops == 557'040);
  // Biases 3,456 + 1,024 + 120 + 60 + 10, ReLU the same numbers again, pooling 3 x 864 + 3 x 256.
  CHECK(flops.totals.other_ops == 2 * 4'670 + 3'360);
}

TEST_CASE("the macs convention counts nothing for layers without multiply-adds") {
  const Profile macs = profiled(named_network("lenet"), Convention::macs);
  CHECK(macs.totals.ops == 278'520);
  CHECK(row_of(macs, "relu1").ops == 0);
  CHECK(row_of(macs, "pool1").ops == 0);
}

TEST_CASE("kinds that the lecture lacks count 0 and are named once, together") {
  const Profile lecture = profiled(named_network("resnet18"), Convention::lecture);
  REQUIRE(lecture.warnings.size() == 1);
  CHECK(lecture.warnings[0].severity == Severity::warning);
  CHECK(lecture.warnings[0].message ==
        "the lecture has no count for add, batch_norm: they count 0");
  CHECK(row_of(lecture, "bn1").ops == 0);
}

TEST_CASE("working sets of LeNet are inputs + outputs + parameters, to the byte") {
  const Profile lenet = profiled(named_network("lenet"), Convention::macs);
  const auto working_set = [&lenet](const char* layer) {
    return row_of(lenet, layer).working_set_bytes.count();
  };
  CHECK(working_set("conv1") == 17'584);  // 784 x 4 + 3,456 x 4 + 156 x 4
  CHECK(working_set("relu1") == 27'648);
  CHECK(working_set("pool1") == 17'280);
  CHECK(working_set("conv2") == 17'216);
  CHECK(working_set("fc1") == 124'864);
  CHECK(working_set("fc2") == 29'760);
  CHECK(working_set("fc3") == 2'720);
}

TEST_CASE("working sets of AlexNet agree with the published megabytes") {
  const Profile alexnet = profiled(named_network("alexnet"), Convention::macs);
  const auto megabytes = [&alexnet](const char* layer) {
    return static_cast<double>(row_of(alexnet, layer).working_set_bytes.count()) / 1e6;
  };
  CHECK(megabytes("conv1") == doctest::Approx(1.47).epsilon(0.005));
  CHECK(megabytes("pool1") == doctest::Approx(0.96).epsilon(0.005));
  CHECK(megabytes("conv2") == doctest::Approx(1.98).epsilon(0.005));
  CHECK(megabytes("conv3") == doctest::Approx(3.05).epsilon(0.005));
  CHECK(megabytes("conv4") == doctest::Approx(3.97).epsilon(0.005));
  CHECK(megabytes("conv5") == doctest::Approx(2.71).epsilon(0.005));
  CHECK(megabytes("fc6") == doctest::Approx(151.1).epsilon(0.005));
  CHECK(megabytes("fc7") == doctest::Approx(67.2).epsilon(0.005));
  CHECK(megabytes("fc8") == doctest::Approx(16.4).epsilon(0.005));
  CHECK(alexnet.totals.parameter_bytes == Bytes{244'403'360});
}

TEST_CASE("a batch multiplies operations and activations, not parameters") {
  const Network lenet = named_network("lenet");
  const Profile one = profiled(lenet, Convention::lecture);
  const Profile many = profiled(lenet, Convention::lecture, Mode::inference, 64);
  CHECK(many.totals.ops == 64 * one.totals.ops);
  CHECK(many.totals.parameter_bytes == one.totals.parameter_bytes);
  CHECK(row_of(many, "conv1").input_bytes == Bytes{64 * 784 * 4});
  CHECK(row_of(many, "conv1").output_shape == std::vector<std::int64_t>{64, 6, 24, 24});
}

TEST_CASE(
    "training does three times the multiply-adds, but only twice in the layer that reads the "
    "input") {
  const Profile training = profiled(named_network("lenet"), Convention::macs, Mode::training);
  CHECK(row_of(training, "conv1").macs == 2 * 86'400);
  CHECK(row_of(training, "conv2").macs == 3 * 153'600);
  CHECK(training.totals.macs == 2 * 86'400 + 3 * (278'520 - 86'400));
}

TEST_CASE("asked for training, the lecture's convention says that it counts the forward pass") {
  const Profile training = profiled(named_network("lenet"), Convention::lecture, Mode::training);
  CHECK(training.totals.ops == 295'700);
  REQUIRE(training.warnings.size() == 1);
  CHECK(training.warnings[0].code == "lecture-counts-forward");
}

TEST_CASE("a convolution called twice counts its parameters once and its operations twice") {
  // 3 -> 32 channels, kernel 7, stride 2, padding 3 on 1,440 x 1,440: 720 x 720 x 32 x 147 = 2,438,553,600 a call.
  const Network network = good_network(file_with(
      "{image: [3, 1440, 1440]}",
      "  - {name: left, kind: conv2d, from: input, out: 32, kernel: 7, stride: 2, pad: 3}\n"
      "  - {name: right, kind: conv2d, from: input, out: 32, kernel: 7, stride: 2, pad: 3, "
      "weights: left}\n"
      "  - {name: join, kind: add, from: [left, right]}\n"));
  const Profile lecture = profiled(network, Convention::lecture);
  CHECK(lecture.totals.parameters == 4'736);
  CHECK(lecture.totals.macs == 4'877'107'200);
  CHECK(lecture.totals.ops == 4'910'284'800);
}

struct PublishedLayer {
  const char* name;
  std::int64_t channels, size, kernel, out;
  std::int64_t flops;
};

TEST_CASE("single layers of a published benchmark have exactly the published FLOPs") {
  // 2 x batch 128 x outputs x channels x kernel^2: printed as 124.2, 20.55 and 41.1 GFLOP.
  const PublishedLayer layers[] = {
      {"L1", 3, 128, 11, 96, 124'217'229'312},  // 128 x 96 x 118^2 x 363 x 2
      {"L4", 128, 16, 7, 128, 20'552'089'600},  // 128 x 128 x 10^2 x 6,272 x 2
      {"L5", 384, 13, 3, 384, 41'108'373'504},  // 128 x 384 x 11^2 x 3,456 x 2
  };
  for (const PublishedLayer& layer : layers) {
    CAPTURE(layer.name);
    const std::string side = std::to_string(layer.size);
    const Network network = good_network(
        file_with("{image: [" + std::to_string(layer.channels) + ", " + side + ", " + side + "]}",
                  "  - {name: conv, kind: conv2d, out: " + std::to_string(layer.out) +
                      ", kernel: " + std::to_string(layer.kernel) + "}\n"));
    CHECK(profiled(network, Convention::flops, Mode::inference, 128).totals.flops == layer.flops);
  }
}

TEST_CASE("operations at a fortieth of the side do not scale back by 1,600") {
  std::string text =
      text_of_file(std::string(TANTALUS_SOURCE_DIR) + "/models/networks/resnet18.yaml");
  const auto at_side = [&text](const std::string& side) {
    std::string copy = text;
    copy.replace(copy.find("[3, 224, 224]"), 13, "[3, " + side + ", " + side + "]");
    return copy;
  };

  const std::int64_t full = good_network(at_side("320")).macs();
  const std::int64_t small = good_network(at_side("8")).macs();

  CHECK(small * 1'600 > full + full / 20);
  CHECK_FALSE(network_of(at_side("5.6")).ok());
}

TEST_CASE("the largest tensor of VGG-16 at batch 256 is the 3.06 GiB that a report names") {
  const Profile vgg = profiled(named_network("vgg16"), Convention::macs, Mode::inference, 256);
  CHECK(row_of(vgg, "conv1_2").output_bytes == Bytes{3'288'334'336});
}

TEST_CASE("parameters of VGG-16 have the published sizes") {
  const Profile vgg = profiled(named_network("vgg16"), Convention::macs);
  const auto mebibytes = [&vgg](const char* layer) {
    return static_cast<double>(row_of(vgg, layer).parameter_bytes.count()) / (1024.0 * 1024.0);
  };
  CHECK(mebibytes("conv1_1") == 0.0068359375);
  CHECK(mebibytes("conv1_2") == 0.140869140625);
  CHECK(mebibytes("fc6") == 392.015625);
}

}  // namespace
}  // namespace tantalus
