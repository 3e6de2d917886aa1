// Layouts that read the caller's own values.
#pragma once

namespace sptune {

/// A Storage may be this, too: then other values of the same structure need no conversion.
template <class T>
class SharesValues {
  public:
    virtual ~SharesValues() = default;
    /// `values`: as many as before, in the same memory's kind; read by every call from now on.
    virtual void share(const T* values) = 0;
};

}  // namespace sptune
