internal import HoistBase
internal import HoistCore

/// The visitor that the client itself speaks for (FS-31): its context is the client's current one, and where the service
/// decides, its flags are those that calls of the core answer with. Thread-safe.
final class SharedVisitor: @unchecked Sendable {
  private static let noCampaigns = Array(#"{"campaigns":[]}"#.utf8)

  private let host: any ProviderHost
  private let publishes: Bool
  private let options: CampaignOptions
  private let lock = Lock()
  // Guarded by `lock`, which is taken while a visitor's is held, and never the other way round.
  private var visitor: FlagshipVisitor?
  private var served = VisitorFlags.none

  /// - Parameter publishes: whether its flags are the client's.
  init(host: any ProviderHost, publishes: Bool, options: CampaignOptions) {
    self.host = host
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
    let state = new.snapshotOfState
    if former != nil || state.flags.count > 0 { flagsChanged(of: new, state.flags, .kept(KeptCampaigns.json(of: state.flags))) }
    withExtendedLifetime(former) {}
  }

  /// The client has closed.
  func forget() {
    let former = lock.withLock {
      defer { visitor = nil }
      return visitor
    }
    withExtendedLifetime(former) {}
  }

  func contextChanged(of changed: FlagshipVisitor, _ context: ContextReference) {
    lock.withLock { if visitor === changed { host.setCurrentContext(context) } }
  }

  /// - Parameter source: where they are written; nil for none.
  func flagsChanged(of changed: FlagshipVisitor, _ flags: VisitorFlags, _ source: DecidedFlags.Source?) {
    guard publishes else { return }
    let former: VisitorFlags? = lock.withLock {
      guard visitor === changed else { return nil }
      defer { served = flags }
      return served
    }
    guard let former else { return }
    do throws(CampaignFailure) {
      let campaigns = try (source ?? .answer(Self.noCampaigns)).compile(options)
      host.publish(campaigns.snapshot, changed: Self.changes(from: former, to: flags))
    } catch {
      host.log.warning(error.message)
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
