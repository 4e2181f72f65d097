internal import HoistBase
internal import HoistCore

/// The visitor that the client itself speaks for (FS-31): its context is the client's current one, and where the service
/// decides, its flags are those that calls of the core answer with. Thread-safe.
final class SharedVisitor: @unchecked Sendable {
  private let host: any ProviderHost
  private let status: StatusCell
  private let publishes: Bool
  private let options: CampaignOptions
  private let lock = Lock()
  // Guarded by `lock`, which is taken while a visitor's is held, and never the other way round.
  private var visitor: FlagshipVisitor?
  /// Held while a choice is published, so that an older one never follows a newer one. Taken before every other lock.
  private let serving = Lock()
  // Guarded by `serving`.
  private var served = VisitorFlags.none

  /// - Parameter publishes: whether its flags are the client's.
  init(host: any ProviderHost, status: StatusCell, publishes: Bool, options: CampaignOptions) {
    self.host = host
    self.status = status
    self.publishes = publishes
    self.options = options
  }

  var current: FlagshipVisitor? { lock.withLock { visitor } }

  /// Another visitor takes the place; calls of the core never answer with the former one's flags.
  func replace(with new: FlagshipVisitor) {
    let former = lock.withLock {
      defer { visitor = new }
      return visitor
    }
    new.tellContext()
    serve()
    withExtendedLifetime(former) {}
  }

  /// The client has closed; its flags are not published any more.
  func forget() {
    let former = lock.withLock {
      defer { visitor = nil }
      return visitor
    }
    serve(isTold: false)
    withExtendedLifetime(former) {}
  }

  /// Before the start, after the end and in panic every call of the core gets its fallback, whichever part noticed the
  /// panic (5.1). Then the shared visitor's flags are served again, if it still has them.
  func statusChanged() { serve() }

  /// Calls of the core say that there is no visitor yet.
  func serveNobody() {
    guard publishes, current == nil, let nothing = Snapshot.noCampaigns(isPanic: false) else { return }
    serving.withLock {
      if served === VisitorFlags.none { host.publish(nothing, changed: []) } else { nothing.destroy() }
    }
  }

  func contextChanged(of changed: FlagshipVisitor, _ context: ContextReference) {
    lock.withLock { if visitor === changed { host.setCurrentContext(context) } }
  }

  /// - Parameter source: where the flags, which the visitor has now, are written; nil where they are nowhere else.
  func flagsChanged(of changed: FlagshipVisitor, _ flags: VisitorFlags, _ source: DecidedFlags.Source?) {
    if current === changed { serve(source.map { (flags, $0) }) }
  }

  /// What calls of the core answer with at this moment.
  private var wanted: VisitorFlags {
    switch status.current {
    case .notInitialized: return .none
    case .panic: return .panic
    case .initializing, .initialized: return current?.snapshotOfState.flags ?? .none
    }
  }

  /// Publishes the flags, unless they are served already. To be called after each change.
  private func serve(_ known: (flags: VisitorFlags, source: DecidedFlags.Source)? = nil, isTold: Bool = true) {
    guard publishes else { return }
    let flags = wanted
    if serving.withLock({ flags === served }) { return }
    guard let snapshot = compile(flags, known.flatMap { $0.flags === flags ? $0.source : nil }) else { return }
    let isServed = serving.withLock {
      // A later change replaces it and publishes itself.
      guard flags === wanted, flags !== served else { return false }
      host.publish(snapshot, changed: isTold ? Self.changes(from: served, to: flags) : [])
      served = flags
      return true
    }
    if !isServed { snapshot.destroy() }
  }

  private func compile(_ flags: VisitorFlags, _ source: DecidedFlags.Source?) -> Snapshot? {
    if flags === VisitorFlags.none || flags.isPanic { return Snapshot.noCampaigns(isPanic: flags.isPanic) }
    do throws(CampaignFailure) {
      return try (source ?? .kept(KeptCampaigns.json(of: flags))).compile(options).snapshot
    } catch {
      host.log.warning(error.message)
      return nil
    }
  }

  /// Keys of flags that are new, gone or different, in this order.
  private static func changes(from old: VisitorFlags, to new: VisitorFlags) -> [String] {
    let changed = (0..<new.count).compactMap { new.value(at: $0) }.filter { value in
      guard let former = old.find(value.key) else { return true }
      return !former.json.hasSameBytes(as: value.json) || !former.variationID.hasSameBytes(as: value.variationID)
    }
    let gone = old.keys.filter { new.find($0) == nil }
    return withExtendedLifetime((old, new)) { (changed.map(\.key) + gone).map { String(decoding: $0, as: UTF8.self) } }
  }
}
