# Decides whether the CUDA kernels are built, from TANTALUS_CUDA (AUTO, ON, OFF), and sets TANTALUS_HAVE_CUDA. AUTO takes
# CUDA 12 or later and says why it takes nothing else; ON makes each of those reasons an error. nvcc's version is asked
# before CMake tries the compiler: an old nvcc refuses g++ 12 with a message that hides the real reason.
set(TANTALUS_HAVE_CUDA OFF)

# Without CUDA: a word under AUTO, an error under ON.
macro(tantalus_without_cuda reason)
  if(TANTALUS_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TANTALUS_CUDA=ON, but ${reason}. Use TANTALUS_CUDA=OFF to build without the CUDA kernels.")
  endif()
  message(STATUS "CUDA kernels: no (${reason})")
endmacro()

if(NOT TANTALUS_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "TANTALUS_CUDA is '${TANTALUS_CUDA}'; it must be AUTO, ON or OFF.")
elseif(TANTALUS_CUDA STREQUAL "OFF")
  message(STATUS "CUDA kernels: no (TANTALUS_CUDA=OFF)")
  return()
endif()

# A compiler that the user named wins; the toolkit's own folder is often not in PATH.
if(CMAKE_CUDA_COMPILER)
  set(nvcc ${CMAKE_CUDA_COMPILER})
elseif(DEFINED ENV{CUDACXX})
  set(nvcc $ENV{CUDACXX})
else()
  find_program(TANTALUS_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(TANTALUS_NVCC)
  set(nvcc ${TANTALUS_NVCC})
endif()
if(NOT nvcc)
  tantalus_without_cuda("no nvcc was found")
  return()
endif()

execute_process(COMMAND ${nvcc} --version
  OUTPUT_VARIABLE nvcc_says ERROR_VARIABLE nvcc_complains RESULT_VARIABLE nvcc_result)
if(NOT nvcc_result EQUAL 0 OR NOT nvcc_says MATCHES "release ([0-9]+\\.[0-9]+)")
  tantalus_without_cuda("${nvcc} does not tell its version")
  return()
endif()
set(nvcc_version ${CMAKE_MATCH_1})
if(nvcc_version VERSION_LESS 12)
  tantalus_without_cuda("${nvcc} is CUDA ${nvcc_version} and Tantalus needs CUDA 12 or later")
  return()
endif()

# check_language tries a compiler only when none is set yet, and then reads the environment.
set(ENV{CUDACXX} ${nvcc})
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  tantalus_without_cuda("${nvcc} (CUDA ${nvcc_version}) cannot compile here")
  return()
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(TANTALUS_HAVE_CUDA ON)
message(STATUS "CUDA kernels: yes (CUDA ${nvcc_version}, ${nvcc})")
