// $SPTUNE_MODE in this room.
#pragma once

#include "tuner/mode.hpp"

namespace sptune::library {

using tuner::mode;
using tuner::Mode;

}  // namespace sptune::library
