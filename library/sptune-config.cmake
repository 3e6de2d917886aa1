include(${CMAKE_CURRENT_LIST_DIR}/sptune-targets.cmake)
