internal import CCurl
internal import Glibc
internal import HoistBase
internal import HoistCore

/// libcurl as a whole: loaded and set up when the network is first needed, never undone. All under the gate.
enum CurlLibrary {
  nonisolated(unsafe) private static var isInitialized = false
  /// True once the process is exiting.
  nonisolated(unsafe) private(set) static var isClosing = false

  /// - Throws: why there is no network.
  static func prepare() throws(TransportFailure) {
    if isInitialized { return }
    if let reason = shim_curl_load() { throw TransportFailure(.other, "no network: \(String(cString: reason))") }
    guard shim_curl_global_init() == CURLE_OK else { throw TransportFailure(.other, "no network: libcurl could not be set up") }
    isInitialized = true
    // A host that used OpenSSL before has had it ask to be torn down at exit, while the network thread may be at work in
    // it. Handlers run in reverse order: this one comes first, and waits for the step under way.
    atexit { CurlLibrary.close() }
  }

  /// For good: no further step is begun on any network thread, and the one under way has ended.
  static func close() { LoopThread.gate.withLock { isClosing = true } }
}
