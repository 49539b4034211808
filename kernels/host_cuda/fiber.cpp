#include "kernels/host_cuda/fiber.hpp"

#include <cstdint>
#include <new>

#include <sys/mman.h>

// x86-64 switches stacks with a dozen instructions; elsewhere ucontext does it, which asks the system for the signal mask at
// each switch and is tens of times slower. Define TANTALUS_UCONTEXT_FIBERS to have it on x86-64 too.
#if defined(__x86_64__) && !defined(TANTALUS_UCONTEXT_FIBERS)
#define TANTALUS_STACK_SWITCH 1
#else
#include <ucontext.h>
#define TANTALUS_STACK_SWITCH 0
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TANTALUS_ASAN 1
#elif __has_feature(thread_sanitizer)
#define TANTALUS_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TANTALUS_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define TANTALUS_TSAN 1
#endif

#if defined(TANTALUS_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(TANTALUS_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

#if TANTALUS_STACK_SWITCH
extern "C" void tantalus_switch_stack(void** save, void* load);
// What the System V ABI lets a callee keep goes to the old stack, the stack pointers change places, and `ret` takes up the
// other side where it left off.
asm(R"(
  .text
  .p2align 4
  .globl tantalus_switch_stack
  .hidden tantalus_switch_stack
  .type tantalus_switch_stack,@function
tantalus_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size tantalus_switch_stack,.-tantalus_switch_stack
)");
#endif

namespace tantalus::emulate {

namespace {
// Instrumented frames are several times larger than plain ones.
#if defined(TANTALUS_ASAN) || defined(TANTALUS_TSAN)
constexpr std::size_t stack_size = std::size_t{256} * 1024;
#else
constexpr std::size_t stack_size = std::size_t{64} * 1024;
#endif
}  // namespace

struct Fiber::State {
  void* stack = nullptr;
  Entry entry = nullptr;
  void* argument = nullptr;
#if TANTALUS_STACK_SWITCH
  void* inside = nullptr;  // stack pointers of whoever does not run
  void* outside = nullptr;
#else
  ucontext_t inside{};
  ucontext_t outside{};
#endif
#if defined(TANTALUS_ASAN)
  void* inside_fake = nullptr;
  void* outside_fake = nullptr;
  const void* outside_bottom = nullptr;
  std::size_t outside_size = 0;
#endif
#if defined(TANTALUS_TSAN)
  void* inside_tsan = nullptr;
  void* outside_tsan = nullptr;
#endif

  void arrived_inside() {
#if defined(TANTALUS_ASAN)
    __sanitizer_finish_switch_fiber(inside_fake, &outside_bottom, &outside_size);
#endif
  }

  [[noreturn]] static void run(State* state) {
    state->arrived_inside();
    state->entry(state->argument);
    __builtin_trap();  // entry ends in a suspend() that nobody resumes
  }
};

namespace {
#if TANTALUS_STACK_SWITCH
// The first `ret` lands here; there is no caller to return to.
template <class State>
State*& starting() {
  thread_local State* state = nullptr;
  return state;
}
#endif
}  // namespace

Fiber::Fiber() : state_(std::make_unique<State>()) {
  void* memory = mmap(nullptr, stack_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  state_->stack = memory;
}

Fiber::~Fiber() {
#if defined(TANTALUS_ASAN)
  __asan_unpoison_memory_region(state_->stack, stack_size);
#endif
#if defined(TANTALUS_TSAN)
  if (state_->inside_tsan != nullptr) __tsan_destroy_fiber(state_->inside_tsan);
#endif
  munmap(state_->stack, stack_size);
}

void Fiber::prepare(Entry entry, void* argument) {
  State& state = *state_;
  state.entry = entry;
  state.argument = argument;
#if defined(TANTALUS_ASAN)
  __asan_unpoison_memory_region(state.stack, stack_size);  // frames that were abandoned
  state.inside_fake = nullptr;
#endif
#if defined(TANTALUS_TSAN)
  if (state.inside_tsan != nullptr) __tsan_destroy_fiber(state.inside_tsan);
  state.inside_tsan = __tsan_create_fiber(0);
#endif
#if TANTALUS_STACK_SWITCH
  auto* top = reinterpret_cast<void**>(static_cast<char*>(state.stack) + stack_size);
  void (*first)() = [] { State::run(starting<State>()); };
  *--top =
      nullptr;  // a return address for nobody: a function starts 8 bytes off 16, as after a call
  *--top = reinterpret_cast<void*>(first);       // what `ret` pops
  for (int i = 0; i < 6; ++i) *--top = nullptr;  // rbp, rbx, r12 to r15
  state.inside = top;
#else
  getcontext(&state.inside);
  state.inside.uc_stack.ss_sp = state.stack;
  state.inside.uc_stack.ss_size = stack_size;
  state.inside.uc_link = nullptr;
  // makecontext passes ints only: the pointer travels in two halves.
  const auto bits = reinterpret_cast<std::uintptr_t>(&state);
  void (*first)(unsigned, unsigned) = [](unsigned low, unsigned high) {
    State::run(reinterpret_cast<State*>((static_cast<std::uintptr_t>(high) << 32) | low));
  };
  makecontext(&state.inside, reinterpret_cast<void (*)()>(first), 2, static_cast<unsigned>(bits),
              static_cast<unsigned>(static_cast<std::uint64_t>(bits) >> 32));
#endif
}

void Fiber::resume() {
  State& state = *state_;
#if defined(TANTALUS_ASAN)
  __sanitizer_start_switch_fiber(&state.outside_fake, state.stack, stack_size);
#endif
#if defined(TANTALUS_TSAN)
  state.outside_tsan = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(state.inside_tsan, 0);
#endif
#if TANTALUS_STACK_SWITCH
  starting<State>() = &state;
  tantalus_switch_stack(&state.outside, state.inside);
#else
  swapcontext(&state.outside, &state.inside);
#endif
#if defined(TANTALUS_ASAN)
  __sanitizer_finish_switch_fiber(state.outside_fake, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
  State& state = *state_;
#if defined(TANTALUS_ASAN)
  __sanitizer_start_switch_fiber(&state.inside_fake, state.outside_bottom, state.outside_size);
#endif
#if defined(TANTALUS_TSAN)
  __tsan_switch_to_fiber(state.outside_tsan, 0);
#endif
#if TANTALUS_STACK_SWITCH
  tantalus_switch_stack(&state.inside, state.outside);
#else
  swapcontext(&state.inside, &state.outside);
#endif
  state.arrived_inside();
}

}  // namespace tantalus::emulate
