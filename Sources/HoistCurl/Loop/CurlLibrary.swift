internal import CCurl
internal import Glibc
internal import HoistBase

/// libcurl as a whole: set up once, before the first network thread starts, never undone. All under the gate.
enum CurlLibrary {
  nonisolated(unsafe) private static var isInitialized = false
  /// True once the process is exiting.
  nonisolated(unsafe) private(set) static var isClosing = false

  static func isReady() -> Bool {
    if !isInitialized, shim_curl_global_init() == CURLE_OK {
      isInitialized = true
      // OpenSSL has just asked to be torn down at exit, while the network thread may be at work in
      // it. Handlers run in reverse order: this one comes first, and waits for the step under way.
      atexit { CurlLibrary.close() }
    }
    return isInitialized
  }

  /// For good: no further step is begun on any network thread, and the one under way has ended.
  static func close() { LoopThread.gate.withLock { isClosing = true } }
}
