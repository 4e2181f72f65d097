internal import CShims
internal import HoistBase
public import HoistCore
internal import Synchronization

/// A user context (`OPT-21`, `OPT-64`): user id, attributes, forced decisions and segments. Thread-safe.
///
/// A decide works on what it finds when it begins; later changes do not touch it. It does not keep its client: without the
/// client it answers `sdkNotReady`.
public final class OptimizelyUser: @unchecked Sendable {
  /// Forced decisions of one user; more are not taken.
  public static let maximumForcedDecisions = 10_000

  /// nil of a user that no client decides for.
  private let owner: UnownedClient<VisitorServices>?
  public let idText: CText
  /// User id and attributes.
  let attributes: EvaluationContext
  let notes: Published<VisitorNotes>
  private let lock = InlineLock()
  /// Counts fetches of segments: the one that began last counts.
  let segmentFetches = Atomic<UInt64>(0)

  /// - Parameters:
  ///   - client: nil makes a user that no client decides for.
  ///   - attributes: belongs to the user from then on; its targeting key is the user id.
  convenience init(
    client: Client?, services: VisitorServices?, attributes: EvaluationContext, notes: VisitorNotes = VisitorNotes()
  ) {
    var owner: UnownedClient<VisitorServices>?
    if let client, let services { owner = UnownedClient(client, services) }
    self.init(owner, attributes: attributes, notes: notes)
  }

  /// A user of its own with what this one has now.
  public func copy() -> OptimizelyUser {
    OptimizelyUser(owner, attributes: attributes.copy(), notes: notes.held ?? VisitorNotes())
  }

  /// The same user at an earlier time.
  func copy(context: FrozenContext, notes: VisitorNotes) -> OptimizelyUser {
    OptimizelyUser(owner, attributes: EvaluationContext(copying: context), notes: notes)
  }

  private init(_ owner: UnownedClient<VisitorServices>?, attributes: EvaluationContext, notes: VisitorNotes) {
    self.owner = owner
    self.attributes = attributes
    idText = CText(attributes.content.key ?? [])
    self.notes = Published(notes)
    _ = attributes.freeze()
  }

  public var id: [UInt8] { idText.bytes }

  /// An owned reference to the client; nil when it is gone.
  var client: Client? { owner?.client }

  public func set(_ name: [UInt8], _ value: AttributeValue) throws(EvaluationContext.Refusal) {
    try attributes.set(name, value)
    tellOfUnusable(name, value)
  }

  /// A bucketing id that is no text counts for nothing (protocols/optimizely.md 4.1).
  func tellOfUnusable(_ name: [UInt8], _ value: AttributeValue) {
    guard name.elementsEqual("$opt_bucketing_id".utf8) else { return }
    switch value {
    case .string, .null: break
    default: _ = withClient { $1.log.warning("attribute \"$opt_bucketing_id\" is no text; the user id is used in its place") }
    }
  }

  /// The attributes as a JSON object.
  public func attributesText() -> [UInt8] { attributes.reference().map { OptimizelyAttributes.text($0.frozen) } ?? [] }

  /// Runs `body` with an open client that is not a stale copy in a forked child.
  /// - Returns: nil when the client is gone or closed.
  @inline(__always)
  func withClient<Result>(_ body: (Client, VisitorServices) -> Result) -> Result? {
    owner?.withClient { client, services in
      shim_load_u32(&client.hot.pointee.gate) & Gate.closed != 0 ? nil : body(client, services)
    } ?? nil
  }

  private func changeNotes<Result>(_ body: (VisitorNotes) -> (VisitorNotes?, Result)) -> Result {
    lock.withLock {
      let (changed, result) = body(notes.held ?? VisitorNotes())
      if let changed { notes.replace(changed) }
      return result
    }
  }
}

/// Forced decisions (`OPT-65`, protocols/optimizely.md 4.7): by flag, or by flag and rule.
extension OptimizelyUser {
  /// - Parameter ruleKey: nil forces the flag as a whole.
  /// - Returns: false when there is no room.
  public func setForcedDecision(_ flagKey: [UInt8], _ ruleKey: [UInt8]?, _ variationKey: [UInt8]) -> Bool {
    changeNotes { notes in
      var forced = notes.forcedDecisions.filter { $0.flagKey != flagKey || $0.ruleKey != ruleKey }
      guard forced.count < Self.maximumForcedDecisions else { return (nil, false) }
      forced.append(.init(flagKey: flagKey, ruleKey: ruleKey, variationKey: variationKey))
      return (VisitorNotes(forcedDecisions: forced, segments: notes.segments), true)
    }
  }

  public func forcedDecision(_ flagKey: [UInt8], _ ruleKey: [UInt8]?) -> [UInt8]? {
    notes.held?.forcedDecisions.first { $0.flagKey == flagKey && $0.ruleKey == ruleKey }?.variationKey
  }

  /// - Returns: whether there was one.
  public func removeForcedDecision(_ flagKey: [UInt8], _ ruleKey: [UInt8]?) -> Bool {
    changeNotes { notes in
      let left = notes.forcedDecisions.filter { $0.flagKey != flagKey || $0.ruleKey != ruleKey }
      guard left.count < notes.forcedDecisions.count else { return (nil, false) }
      return (VisitorNotes(forcedDecisions: left, segments: notes.segments), true)
    }
  }

  public func removeAllForcedDecisions() { changeNotes { (VisitorNotes(segments: $0.segments), ()) } }
}

/// Audience segments (`OPT-67`).
extension OptimizelyUser {
  /// Nil when they were never fetched, or the last fetch failed.
  public var segments: [[UInt8]]? { notes.held?.segments }

  public func setSegments(_ segments: [[UInt8]]?) {
    changeNotes { (VisitorNotes(forcedDecisions: $0.forcedDecisions, segments: segments), ()) }
  }

  public func isQualified(for segment: [UInt8]) -> Bool { segments?.contains(segment) ?? false }
}
