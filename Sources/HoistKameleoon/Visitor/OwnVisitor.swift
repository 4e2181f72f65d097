internal import HoistBase
internal import HoistCore

/// The visitor that the client itself speaks for: its code, given or generated (KAM-12), and the client's current context.
/// Thread-safe, but for the calls of its owner's life.
final class OwnVisitor: @unchecked Sendable {
  private struct State {
    var visitor: KameleoonVisitor?
    /// Of the code that is generated where none is kept.
    var candidate: [UInt8]
    var decided: Answer<[UInt8]>
    var generation: UInt32?
  }

  private let host: any ProviderHost
  private let given: [UInt8]
  private let key: String
  private let state: Shared<State>

  init(host: any ProviderHost, settings: KameleoonSettings) {
    self.host = host
    given = Array(settings.visitorCode.utf8)
    // A site's code may hold what no name of a file may.
    key = "visitor-code-" + String(Hex.encode(SHA256.hash(settings.siteCode)).prefix(32))
    state = Shared(State(candidate: VisitorOptions.generateCode(host), decided: Answer()))
  }

  /// nil before the client has begun.
  var current: KameleoonVisitor? { state.withLock { $0.visitor } }

  /// On the scheduler's thread; harmless when it has begun.
  func start(_ registry: VisitorRegistry) {
    let generation = host.scheduler.generation
    let decided = state.withLock { state -> Answer<[UInt8]>? in
      if state.generation == generation, state.visitor != nil || state.decided.isGiven { return nil }
      state.generation = generation
      return state.decided
    }
    guard let decided else { return }
    if !given.isEmpty {
      use(given)
      decided.give(given)
      return registry.becomeOwn(given, isAskedFor: true)
    }
    let candidate = state.withLock { $0.candidate }
    host.store.shared(key, orKeep: candidate) { [weak registry] stored in
      decided.give(VisitorCode.isValid(stored) ? stored : candidate)
      if let code = decided.wait(untilNanoseconds: 0) { registry?.becomeOwn(code, isAskedFor: false) }
    }
  }

  /// The code, when it is known in time; else a new one, which holds for this client.
  func code(untilNanoseconds deadline: Int64) -> [UInt8] {
    let (decided, candidate) = state.withLock { ($0.decided, $0.candidate) }
    if let code = decided.wait(untilNanoseconds: deadline) { return code }
    decided.give(candidate)
    return decided.wait(untilNanoseconds: 0) ?? candidate
  }

  /// A code was given: it is used from now on where none is.
  func use(_ code: [UInt8]) {
    host.store.removeShared(key)
    host.store.shared(key, orKeep: code) { _ in }
  }

  /// - Returns: false when it is so already.
  func replace(with visitor: KameleoonVisitor) -> Bool {
    let former = state.withLock { state in
      defer { state.visitor = visitor }
      return state.visitor
    }
    return former !== visitor
  }

  /// The client has closed.
  func stop() {
    let former = state.withLock { state in
      defer {
        state.visitor = nil
        state.decided = Answer()
        state.generation = nil
      }
      return state.visitor
    }
    withExtendedLifetime(former) {}
  }
}
