#include "sim/app/random_networks.hpp"

#include <initializer_list>

namespace tantalus {

namespace {

class Draw {
 public:
  Draw(std::int64_t seed, std::int64_t index)
      : state_(static_cast<std::uint64_t>(seed) * 0x9E3779B97F4A7C15ULL +
               static_cast<std::uint64_t>(index) * 0xBF58476D1CE4E5B9ULL + 1) {
    for (int i = 0; i < 8; ++i) next();
  }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::int64_t one_of(std::initializer_list<std::int64_t> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }
  bool chance(std::int64_t percent) { return between(1, 100) <= percent; }

 private:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 33U;
  }
  std::uint64_t state_;
};

std::string field(const char* name, std::int64_t value) {
  return std::string(", ") + name + ": " + std::to_string(value);
}

class Layers {
 public:
  Layers(Draw& draw, std::int64_t image) : draw_(draw), size_(image) {}

  void block() {
    const std::string number = std::to_string(++blocks_);
    const std::int64_t kernel = size_ < 5 ? 1 : draw_.one_of({1, 3, 3, 5});
    const std::int64_t stride = size_ > 16 && draw_.chance(20) ? 2 : 1;
    channels_ = draw_.between(2, 24) * draw_.one_of({1, 4, 8});
    add("conv" + number, "conv2d",
        field("out", channels_) + field("kernel", kernel) + field("stride", stride) +
            field("pad", kernel / 2));
    size_ = (size_ + 2 * (kernel / 2) - kernel) / stride + 1;
    add("relu" + number, "relu");
    // Other channels make oneDNN fall back to its reference code in training, a hundred times slower: nobody runs that.
    if (draw_.chance(25) && channels_ % 16 == 0) {
      add("norm" + number, "lrn", field("size", 5));
    }
    if (size_ >= 6 && draw_.chance(60)) {
      const std::int64_t window = draw_.one_of({2, 3});
      add("pool" + number, "max_pool", field("kernel", window) + field("stride", 2));
      size_ = (size_ - window) / 2 + 1;
    }
  }

  void classifier() {
    for (std::int64_t i = draw_.between(0, 2); i > 0; --i) {
      const std::string number = std::to_string(++linears_);
      add("fc" + number, "linear", field("out", draw_.between(32, 1024)));
      add("fcrelu" + number, "relu");
    }
    add("out", "linear", field("out", 10));
  }

  std::string text;

 private:
  void add(const std::string& name, const std::string& kind, const std::string& fields = {}) {
    text += "  - {name: " + name + ", kind: " + kind + fields + "}\n";
  }
  Draw& draw_;
  std::int64_t size_, channels_ = 0;
  int blocks_ = 0, linears_ = 0;
};

}  // namespace

RandomNetwork random_network(std::int64_t seed, std::int64_t index) {
  Draw draw(seed, index);
  RandomNetwork network;
  network.name = "random-" + std::to_string(seed) + "-" + std::to_string(index);
  network.batch = draw.one_of({1, 4, 8, 16});
  const std::int64_t channels = draw.one_of({1, 3, 3, 16}), image = draw.between(14, 64);
  Layers layers(draw, image);
  for (std::int64_t i = draw.between(2, 4); i > 0; --i) layers.block();
  layers.classifier();
  network.text = "tantalus: network/1\nname: " + network.name +
                 "\nsources: {\"*\": drawn at run time from a seed}\ninput: {image: [" +
                 std::to_string(channels) + ", " + std::to_string(image) + ", " +
                 std::to_string(image) + "]}\nclasses: 10\nlayers:\n" + layers.text;
  return network;
}

}  // namespace tantalus
