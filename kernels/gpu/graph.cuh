// Launches recorded once and started together: a CUDA graph. Under the emulator the launches are kept and made again, so that what
// a graph may hold (launches, no copies, no allocations) is run by the tests.
#pragma once

#include <functional>
#include <utility>

#include "kernels/gpu/cuda_words.cuh"

namespace tantalus::kernels {

#if defined(__CUDACC__)

class Graph {
 public:
  /// Records what `launches` puts on `stream`, which must not be the default stream.
  Graph(Stream stream, const std::function<void()>& launches) {
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
    cudaGraph_t graph = nullptr;
    try {
      launches();
    } catch (...) {
      if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
      throw;
    }
    check_cuda(cudaStreamEndCapture(stream, &graph), "end capture");
    const cudaError_t made = cudaGraphInstantiate(&whole_, graph, 0);
    cudaGraphDestroy(graph);
    check_cuda(made, "cudaGraphInstantiate");
  }
  ~Graph() { cudaGraphExecDestroy(whole_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void start(Stream stream) { check_cuda(cudaGraphLaunch(whole_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t whole_ = nullptr;
};

#else

class Graph {
 public:
  Graph(Stream, std::function<void()> launches) : launches_(std::move(launches)) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void start(Stream) { launches_(); }

 private:
  std::function<void()> launches_;
};

#endif

}  // namespace tantalus::kernels
