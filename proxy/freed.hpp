#pragma once
// What a C library made, as std::unique_ptr<X509, Freed<X509_free>>.

namespace podfence::proxy {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

}  // namespace podfence::proxy
