// The networks that come with the project against the figures of their papers and reference implementations.
#include "tests/models/dnn/networks.hpp"

#include <string>

#include "source_dir.hpp"

namespace tantalus {
namespace {

struct Figures {
  const char* name;
  std::int64_t parameters;
  std::int64_t macs;
};

TEST_CASE("each network has exactly the parameters and multiply-adds of its reference") {
  // LeNet by hand: 86,400 + 153,600 + 30,720 + 7,200 + 600 = 278,520.
  // LeNet, padded: 117,600 + 240,000 + 48,000 + 7,200 + 600. LeNet-5: 117,600 + 240,000 + 48,000 + 10,080 + 840.
  // AlexNet grouped: 105,415,200 + 223,948,800 + 149,520,384 + 112,140,288 + 74,760,192 + 58,621,952.
  // MLP: 784 x 512 + 512 x 512 + 512 x 10.
  const Figures all[] = {
      {"lenet", 41'282, 278'520},
      {"lenet-pad2", 58'562, 413'400},
      {"lenet5", 61'706, 416'520},
      {"mlp", 669'706, 668'672},
      {"alexnet", 61'100'840, 714'188'480},
      {"alexnet-2012", 60'965'224, 724'406'816},
      {"vgg11", 132'863'336, 7'609'090'048},
      {"vgg13", 133'047'848, 11'308'466'176},
      {"vgg16", 138'357'544, 15'470'264'320},
      {"vgg19", 143'667'240, 19'632'062'464},
      {"vgg11-bn", 132'868'840, 7'609'090'048},
      {"vgg13-bn", 133'053'736, 11'308'466'176},
      {"vgg16-bn", 138'365'992, 15'470'264'320},
      {"vgg19-bn", 143'678'248, 19'632'062'464},
      {"resnet18", 11'689'512, 1'814'073'344},
      {"resnet26", 15'995'176, 2'342'256'640},
      {"resnet34", 21'797'672, 3'663'761'408},
      {"resnet50", 25'557'032, 4'089'184'256},
      {"resnet101", 44'549'160, 7'801'405'440},
      {"resnet152", 60'192'808, 11'513'626'624},
      {"resnet200", 64'666'280, 15'007'481'856},
      {"resnext50-32x4d", 25'028'904, 4'230'479'872},
      {"wide-resnet50-2", 68'883'240, 11'398'021'120},
      {"densenet121", 7'978'856, 2'834'161'664},
      {"densenet161", 28'681'000, 7'727'907'072},
      {"densenet201", 20'013'928, 4'291'365'888},
      {"googlenet", 6'998'552, 1'582'671'872},
      {"squeezenet-1.0", 1'248'424, 818'924'576},
      {"squeezenet-1.1", 1'235'496, 349'151'936},
      {"mobilenet-v1", 4'231'976, 568'740'352},
      {"mobilenet-v2", 3'504'872, 300'774'272},
      {"gpt2-small", 124'439'808, 145'824'153'600},
  };
  for (const Figures& figures : all) {
    CAPTURE(figures.name);
    const Network network = named_network(figures.name);
    CHECK(network.parameter_count() == figures.parameters);
    CHECK(network.macs() == figures.macs);
    CHECK_FALSE(network.source.empty());
  }
}

TEST_CASE("the shapes of AlexNet are those of the reference model, grouped or not") {
  const Network one = named_network("alexnet");
  const Network two = named_network("alexnet-2012");
  const auto output = [](const Network& network, const std::string& layer) {
    for (const Layer& l : network.layers) {
      if (l.name == layer) return to_text(network.activations[l.output].shape);
    }
    return std::string("no such layer");
  };
  CHECK(output(one, "conv1") == "64 x 55 x 55 image");
  CHECK(output(one, "pool1") == "64 x 27 x 27 image");
  CHECK(output(one, "pool2") == "192 x 13 x 13 image");
  CHECK(output(one, "pool5") == "256 x 6 x 6 image");
  CHECK(output(one, "fc6") == "vector of 4096");
  CHECK(output(two, "conv1") == "96 x 55 x 55 image");
  CHECK(output(two, "conv2") == "256 x 27 x 27 image");
  CHECK(output(two, "pool5") == "256 x 6 x 6 image");
}

TEST_CASE("grouped AlexNet does the published share of its multiply-adds in each convolution") {
  const Profile profile = tantalus::profile(named_network("alexnet-2012"));
  CHECK(row_of(profile, "conv1").macs == 105'415'200);  // 96 x 55 x 55 x 363
  CHECK(row_of(profile, "conv2").macs ==
        223'948'800);  // 256 x 27 x 27 x 1,200: half the channels a group
  CHECK(row_of(profile, "conv3").macs == 149'520'384);
  CHECK(row_of(profile, "conv4").macs == 112'140'288);
  CHECK(row_of(profile, "conv5").macs == 74'760'192);
}

TEST_CASE("repeated blocks bear their numbers, and a copy reads the copy before it") {
  const Network network = named_network("resnet50");
  std::string join_inputs, first_conv_input;
  for (const Layer& layer : network.layers) {
    if (layer.name == "layer1.2.join") {
      for (const std::size_t input : layer.inputs)
        join_inputs += network.activations[input].name + " ";
    }
    if (layer.name == "layer1.1.conv1")
      first_conv_input = network.activations[layer.inputs[0]].name;
  }
  CHECK(join_inputs == "layer1.2.bn3 layer1.1.relu3 ");
  CHECK(first_conv_input == "layer1.0.relu3");
}

TEST_CASE("GPT-2 counts its word table once and multiplies by it at the end") {
  const Network network = named_network("gpt2-small");
  const Profile profile = tantalus::profile(network);
  const LayerProfile& head = row_of(profile, "lm_head");
  CHECK(row_of(profile, "wte").parameters == 38'597'376);  // 50,257 x 768
  CHECK(head.parameters == 0);
  CHECK(head.macs == 1'024LL * 50'257 * 768);
  CHECK(head.parameter_bytes == Bytes{38'597'376LL * 4});
  CHECK(row_of(profile, "h11.scores").macs == 12LL * 1'024 * 1'024 * 64);
}

// v1 puts the stride of a stage on its first 1 x 1 convolution, v1.5 on the 3 x 3: same parameters, fewer multiply-adds.
TEST_CASE("ResNet-50 with the stride on the first 1 x 1 does 231,211,008 multiply-adds less") {
  const std::string path = std::string(TANTALUS_SOURCE_DIR) + "/models/networks/resnet50.yaml";
  std::string text = text_of_file(path);
  for (const char* mid : {"128", "256", "512"}) {
    const std::string one = std::string("conv2d, out: ") + mid + ", kernel: 1, bias";
    const std::string three = std::string("conv2d, out: ") + mid + ", kernel: 3, stride: 2";
    const std::size_t at_three = text.find(three);
    REQUIRE(at_three != std::string::npos);
    const std::size_t at_one = text.rfind(one, at_three);
    REQUIRE(at_one != std::string::npos);
    text.replace(at_three, three.size(), std::string("conv2d, out: ") + mid + ", kernel: 3");
    text.replace(at_one, one.size(),
                 std::string("conv2d, out: ") + mid + ", kernel: 1, stride: 2, bias");
  }

  const Network v1 = good_network(text);

  CHECK(v1.parameter_count() == 25'557'032);
  CHECK(v1.macs() == 4'089'184'256 - 231'211'008);
}

}  // namespace
}  // namespace tantalus
