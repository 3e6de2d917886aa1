// What can be used while the program ends: by threads that go on, and by destructors of globals.
// An object in a function, `static T x`, is destroyed when main() returns.
#pragma once

#include <cstddef>
#include <new>

namespace sptune {

/// `static const T& x = lasting(make);` is made when it is first needed and never destroyed.
template <class Make>
auto& lasting(Make make) {
    return *new auto(make());
}
/// An empty one.
template <class T>
T& lasting() {
    return *new T();
}

/// A T of the calling thread, empty at first and destroyed with the thread, of the place in the
/// code that `Place` names: `of_this_thread<std::vector<int>, struct Columns>()`. What needs it
/// after the main thread has ended its own gets another one.
template <class T, class Place>
T& of_this_thread() {
    // Neither has a destructor: they are there to the last.
    thread_local T* mine = nullptr;
    alignas(T) thread_local std::byte place[sizeof(T)];
    struct Owner {
        ~Owner() {
            mine->~T();
            mine = nullptr;
        }
    };
    if (!mine) {
        mine = new (place) T();
        thread_local Owner owner;
    }
    return *mine;
}

}  // namespace sptune
