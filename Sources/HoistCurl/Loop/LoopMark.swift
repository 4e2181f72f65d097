internal import Glibc
internal import HoistBase

/// How a network thread knows itself: a mark in its own storage. Comparing thread ids would not do,
/// because a forked child may give the id of its parent's network thread to another thread.
enum LoopMark {
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// - Parameter lock: the lock of the loop that the calling thread serves.
  static func set(_ lock: Lock) {
    guard let key else { return }
    pthread_setspecific(key, Unmanaged.passUnretained(lock).toOpaque())
  }

  static func isSet(_ lock: Lock) -> Bool {
    guard let key, let mark = pthread_getspecific(key) else { return false }
    return mark == Unmanaged.passUnretained(lock).toOpaque()
  }
}
