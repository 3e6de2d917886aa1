# sptune_room(NAME SOURCES... [LINK targets...]): one room of the house as a static library, with
# the project's warnings. Rooms are included by their path from the top: "matrix/csr.hpp".
add_library(sptune_options INTERFACE)
target_include_directories(sptune_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(sptune_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Werror>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;--Werror=all-warnings;--expt-relaxed-constexpr>"
  # Messages name files as the repository does, not as the machine that built them.
  "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>")
if(SPTUNE_HAS_CUDA)
  target_compile_definitions(sptune_options INTERFACE SPTUNE_HAS_CUDA)
endif()
if(SPTUNE_SANITIZE)
  target_compile_options(sptune_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(sptune_options INTERFACE -fsanitize=address,undefined)
endif()

function(sptune_room NAME)
  cmake_parse_arguments(ROOM "" "" "SOURCES;LINK" ${ARGN})
  add_library(sptune_${NAME} STATIC ${ROOM_SOURCES})
  target_link_libraries(sptune_${NAME} PUBLIC sptune_options ${ROOM_LINK})
endfunction()

# sptune_test(NAME SOURCES... [LINK targets...] [LABELS labels...]): one GoogleTest program, one
# ctest entry per program.
function(sptune_test NAME)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(test_${NAME} ${TEST_SOURCES})
  target_link_libraries(test_${NAME} PRIVATE sptune_options ${TEST_LINK})
  # Testing need not be optimised as what it tests is, and compiles in two thirds of the time. On a
  # GPU's machine it is the time of the run that counts.
  if("gpu" IN_LIST TEST_LABELS)
    target_link_libraries(test_${NAME} PRIVATE sptune_gpu_test_main)
  else()
    target_link_libraries(test_${NAME} PRIVATE GTest::gtest_main)
    target_compile_options(test_${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  add_test(NAME ${NAME} COMMAND test_${NAME})
  set_tests_properties(${NAME} PROPERTIES LABELS "${TEST_LABELS}")
endfunction()
