import Glibc
import HoistBase
import HoistCore
import Testing

/// Something that happens on another thread and that a test waits for. The limit is there for a test
/// that would otherwise hang; no test passes or fails by it.
final class Promise<Value: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  private let changed = Condition()
  private var values: [Value] = []

  func fulfil(_ value: Value) {
    lock.withLock { values.append(value) }
    changed.broadcast()
  }

  /// How often it was fulfilled.
  var count: Int { lock.withLock { values.count } }

  func wait(sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
    let first = lock.withLock { () -> Value? in
      let limit = SystemClock().monotonicNanoseconds + 30_000_000_000
      while values.isEmpty {
        if !changed.wait(lock, untilNanoseconds: limit), values.isEmpty { return nil }
      }
      return values[0]
    }
    return try #require(first, "nothing happened within 30 s", sourceLocation: sourceLocation)
  }
}

extension Promise<Void> {
  func fulfil() { fulfil(()) }
}

/// Words in the order in which threads said them.
final class Trace: @unchecked Sendable {
  private let lock = Lock()
  private var kept: [String] = []
  func add(_ word: String) { lock.withLock { kept.append(word) } }
  var words: [String] { lock.withLock { kept } }
}

typealias Outcome = Result<HTTPResponse, TransportFailure>

extension Transport {
  /// Sends and waits for the end.
  func fetch(_ request: HTTPRequest, sourceLocation: SourceLocation = #_sourceLocation) throws -> Outcome {
    let end = Promise<Outcome>()
    _ = send(request) { end.fulfil($0) }
    return try end.wait(sourceLocation: sourceLocation)
  }

  func get(_ url: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Outcome {
    try fetch(HTTPRequest(method: "GET", url: url), sourceLocation: sourceLocation)
  }
}

extension Outcome {
  var response: HTTPResponse? { try? get() }
  var failure: TransportFailure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A stream's receiver that the test can watch.
final class StreamRecorder: StreamHandler, @unchecked Sendable {
  struct State {
    var opened: [HTTPResponse] = []
    var bytes: [UInt8] = []
    var chunks = 0
    var ended: [TransportFailure?] = []
    /// What came in an order that the contract rules out.
    var faults: [String] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private let lock = Lock()
  private let changed = Condition()
  private var state = State()
  /// Called after a chunk was kept, on the network thread.
  private let whenReceived: (@Sendable (State) -> Void)?

  init(whenReceived: (@Sendable (State) -> Void)? = nil) { self.whenReceived = whenReceived }

  func streamOpened(_ head: HTTPResponse) {
    change {
      if !$0.opened.isEmpty || !$0.ended.isEmpty { $0.faults.append("opened late") }
      $0.opened.append(head)
    }
  }

  func streamReceived(_ bytes: UnsafeRawBufferPointer) {
    change {
      if $0.opened.isEmpty || !$0.ended.isEmpty { $0.faults.append("received out of turn") }
      $0.bytes += bytes
      $0.chunks += 1
    }
    whenReceived?(current)
  }

  func streamEnded(_ failure: TransportFailure?) {
    change { $0.ended.append(failure) }
  }

  var current: State { lock.withLock { state } }

  func wait(
    _ what: String, until isReached: (State) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> State {
    let limit = SystemClock().monotonicNanoseconds + 30_000_000_000
    let reached = lock.withLock { () -> State? in
      while !isReached(state) {
        if !changed.wait(lock, untilNanoseconds: limit), !isReached(state) { return nil }
      }
      return state
    }
    return try #require(reached, "\(what): not within 30 s", sourceLocation: sourceLocation)
  }

  func waitForEnd(sourceLocation: SourceLocation = #_sourceLocation) throws -> State {
    try wait("end", until: { !$0.ended.isEmpty }, sourceLocation: sourceLocation)
  }

  private func change(_ body: (inout State) -> Void) {
    lock.withLock { body(&state) }
    changed.broadcast()
  }
}
