// The same for the emulator: every function runs, no time means anything.
#include "kernels/gpu/gpu_session.cu"
