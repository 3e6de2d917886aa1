# There is one library and nothing to choose from.
foreach(component IN LISTS ${CMAKE_FIND_PACKAGE_NAME}_FIND_COMPONENTS)
  if(${CMAKE_FIND_PACKAGE_NAME}_FIND_REQUIRED_${component})
    set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
    set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
        "sptune has no component \"${component}\"; leave COMPONENTS out and link sptune::sptune")
    return()
  endif()
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/sptune-targets.cmake)
