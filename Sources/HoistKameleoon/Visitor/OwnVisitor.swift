internal import HoistBase
internal import HoistCore

/// The visitor that the client itself speaks for: its code, given or generated (KAM-12), and the client's current context.
/// Thread-safe, but for the calls of its owner's life.
final class OwnVisitor: @unchecked Sendable {
  private struct State {
    var visitor: KameleoonVisitor?
    /// In which process it has begun.
    var generation: UInt32?
  }

  private let host: any ProviderHost
  private let given: [UInt8]
  private let generated: InstallationID
  private let state = LockedValue(State())

  init(host: any ProviderHost, settings: KameleoonSettings) {
    self.host = host
    given = Array(settings.visitorCode.utf8)
    let entropy = host.entropy
    // A site's code may hold what no name of a file may.
    generated = InstallationID(
      store: host.store, scheduler: host.scheduler,
      key: "visitor-code-" + String(Hex.encode(SHA256.hash(settings.siteCode)).prefix(32)),
      isWhole: { VisitorCode.isValid($0) && $0.withBytes { UTF8Text.isValid($0) } },
      make: { String(decoding: VisitorCode.generate(entropy), as: UTF8.self) })
  }

  /// nil before the client has begun.
  var current: KameleoonVisitor? { state.withLock { $0.visitor } }

  /// On the scheduler's thread; harmless when it has begun.
  func start(_ registry: KameleoonVisitorRegistry) {
    host.scheduler.assertCurrent()
    let generation = host.scheduler.generation
    let isFirst = state.withLock { state in
      defer { state.generation = generation }
      return state.generation != generation
    }
    guard isFirst else { return }
    guard given.isEmpty else {
      // It is used from now on where none is given.
      generated.forget()
      host.store.shared(generated.key, orKeep: given) { _ in }
      return registry.beginOwn(given, isNamedByHost: true)
    }
    generated.whenKnown { [weak registry] code in registry?.beginOwn(Array(code.utf8), isNamedByHost: false) }
  }

  /// The code, when it is known in time; else a new one, which holds for this client.
  func code(untilNanoseconds deadline: Int64) -> [UInt8] {
    given.isEmpty ? Array(generated.decide(untilNanoseconds: deadline).utf8) : given
  }

  /// - Parameter isFirst: only where there is none yet.
  /// - Returns: false when nothing has changed.
  func replace(with visitor: KameleoonVisitor, isFirst: Bool) -> Bool {
    let former = state.withLock { state in
      let former = state.visitor
      state.visitor = isFirst ? former ?? visitor : visitor
      return former
    }
    return isFirst ? former == nil : former !== visitor
  }

  func abandonAfterFork() { generated.abandonAfterFork() }

  /// The client has closed.
  func stop() {
    let former = state.withLock { state in
      defer { state = State() }
      return state.visitor
    }
    withExtendedLifetime(former) {}
  }
}
