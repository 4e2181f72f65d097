internal import Glibc
public import HoistBase
public import HoistCore
internal import HoistJSON

/// A decision that outlives its snapshot (`OPT-61`). Immutable; any thread.
public final class OwnedDecision: @unchecked Sendable {
  /// Why there is no decision.
  public enum Failure: Sendable {
    case notReady, unknownFlag
  }

  /// The user of the decision, as of the call; unowned.
  struct Owner {
    let user: Unmanaged<OptimizelyUser>
    let context: FrozenContext
    let notes: Unmanaged<VisitorNotes>
  }

  /// The reasons, then the texts in one piece, each with a NUL, then the texts of the reasons.
  private let memory: UnsafeMutableRawPointer
  private let texts: UnsafeMutableRawPointer
  private let flagKeyCount: Int
  /// -1 for none.
  private let variationKeyCount: Int
  private let ruleKeyCount: Int
  private let variablesCount: Int
  public let enabled: Bool
  /// There is no flag of that key.
  public let isUnknown: Bool
  public let reasonCount: Int
  private let deciding: OptimizelyUser?
  private let context: FrozenContext?
  private let notes: VisitorNotes?
  /// The reasons in words, made on demand; guarded by `Self.reading`, which is held only briefly.
  private var sentences: [CText]?
  /// The variables once they have been read; likewise.
  private var document: OptimizelyJSON?
  private static let reading = Lock()

  @inline(__always)
  init(_ decision: OptimizelyDecision, reasons: [NotedReason], owner: Owner?) {
    let (flag, variation, rule, variables) = (
      decision.flagKey, decision.variationKey, decision.ruleKey, decision.variables
    )
    (memory, texts) = Self.block(flag, variation, rule, variables, reasons)
    flagKeyCount = flag.count
    variationKeyCount = variation?.count ?? -1
    ruleKeyCount = rule?.count ?? -1
    variablesCount = variables.count
    enabled = decision.enabled
    isUnknown = false
    reasonCount = reasons.count
    (deciding, context, notes) = (
      owner?.user.takeUnretainedValue(), owner?.context, owner?.notes.takeUnretainedValue()
    )
    owner?.context.retain()
  }

  init(failed failure: Failure, key: ByteView, owner: Owner?) {
    let text = String(decoding: key, as: UTF8.self)
    let empty: StaticString = "{}"
    (memory, texts) = Self.block(key, nil, nil, ByteView(start: empty.utf8Start, count: 2), [])
    flagKeyCount = key.count
    variationKeyCount = -1
    ruleKeyCount = -1
    variablesCount = 2
    enabled = false
    isUnknown = failure == .unknownFlag
    let reason = failure == .notReady ? DecisionReason.sdkNotReady : .featureKeyInvalid(text)
    sentences = [CText(reason.text)]
    reasonCount = 1
    (deciding, context, notes) = (
      owner?.user.takeUnretainedValue(), owner?.context, owner?.notes.takeUnretainedValue()
    )
    owner?.context.retain()
  }

  /// An error decision of a client that is not ready, or gone.
  public convenience init(notReady key: ByteView) { self.init(failed: .notReady, key: key, owner: nil) }

  deinit {
    free(memory)
    context?.release()
  }

  @inline(__always)
  private static func block(
    _ flag: ByteView, _ variation: ByteView?, _ rule: ByteView?, _ variables: ByteView, _ reasons: [NotedReason]
  ) -> (memory: UnsafeMutableRawPointer, texts: UnsafeMutableRawPointer) {
    var count = flag.count + (variation?.count ?? 0) + (rule?.count ?? 0) + variables.count + 4
    if !reasons.isEmpty { count += bytes(of: reasons) }
    // `allocate` would take the slower way of an alignment of its own.
    let memory = malloc(count) ?? .allocate(byteCount: count, alignment: MemoryLayout<NotedReason>.alignment)
    let texts = memory + reasons.count * MemoryLayout<NotedReason>.stride
    var end = texts
    func append(_ text: ByteView?) {
      if let text, let start = text.baseAddress {
        memcpy(end, start, text.count)
        end += text.count
      }
      end.storeBytes(of: 0, as: UInt8.self)
      end += 1
    }
    append(flag)
    append(variation)
    append(rule)
    append(variables)
    if !reasons.isEmpty { keep(reasons, memory, texts: end) }
    return (memory, texts)
  }

  private static func bytes(of reasons: [NotedReason]) -> Int {
    reasons.reduce(reasons.count * MemoryLayout<NotedReason>.stride) {
      $0 + $1.first.count + $1.second.count + $1.third.count
    }
  }

  /// The reasons with texts of the block's own.
  private static func keep(_ reasons: [NotedReason], _ memory: UnsafeMutableRawPointer, texts: UnsafeMutableRawPointer) {
    var end = texts
    func own(_ text: ByteView) -> ByteView {
      guard let start = text.baseAddress, text.count > 0 else { return .noBytes }
      memcpy(end, start, text.count)
      defer { end += text.count }
      return ByteView(start: end, count: text.count)
    }
    let kept = memory.bindMemory(to: NotedReason.self, capacity: reasons.count)
    for (index, reason) in reasons.enumerated() {
      var reason = reason
      reason.first = own(reason.first)
      reason.second = own(reason.second)
      reason.third = own(reason.third)
      (kept + index).initialize(to: reason)
    }
  }

  /// Put into words when they are asked for.
  public var reasons: [CText] {
    if let sentences = Self.reading.withLock({ sentences }) { return sentences }
    let kept = memory.assumingMemoryBound(to: NotedReason.self)
    let made = (0..<reasonCount).map { CText(kept[$0].reason.text) }
    return Self.reading.withLock {
      let first = sentences ?? made
      sentences = first
      return first
    }
  }

  public var flagKey: ByteView { ByteView(start: texts, count: flagKeyCount) }

  /// Nil where there is no variation.
  public var variationKey: ByteView? {
    variationKeyCount < 0 ? nil : ByteView(start: texts + (flagKeyCount + 1), count: variationKeyCount)
  }

  /// Nil where no rule decided.
  public var ruleKey: ByteView? { ruleKeyCount < 0 ? nil : ByteView(start: texts + ruleStart, count: ruleKeyCount) }

  /// A JSON object.
  public var variables: ByteView {
    ByteView(start: texts + (ruleStart + max(0, ruleKeyCount) + 1), count: variablesCount)
  }

  private var ruleStart: Int { flagKeyCount + max(0, variationKeyCount) + 2 }

  /// The user as it was when the decision was made; nil for a decision without a user.
  public var user: OptimizelyUser? {
    guard let deciding, let context, let notes else { return nil }
    return deciding.copy(context: context, notes: notes)
  }

  /// The variables by path (`OPT-71`).
  public var json: OptimizelyJSON? {
    if let document = Self.reading.withLock({ document }) { return document }
    guard let made = OptimizelyJSON(variables) else { return nil }
    return Self.reading.withLock {
      if document == nil { document = made }
      return document
    }
  }

  /// The decision as JSON, as services show it.
  public func text() -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    write(to: &writer)
    return writer.bytes
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("variationKey", variationKey)
      writer.key("enabled")
      writer.bool(enabled)
      writer.key("variables")
      writer.raw(variables)
      writer.member("ruleKey", ruleKey)
      writer.member("flagKey", flagKey)
      if let context {
        writer.key("userContext")
        writer.object { writer in
          writer.member("userId", context.targetingKey ?? .noBytes)
          writer.key("attributes")
          OptimizelyAttributes.write(context, to: &writer)
        }
      }
      writer.key("reasons")
      writer.array { writer in for reason in reasons { writer.string(utf8: reason.buffer) } }
    }
  }
}

/// The decisions of one call, in its order. Immutable.
public final class OwnedDecisions: Sendable {
  public let decisions: [OwnedDecision]
  public init(_ decisions: [OwnedDecision]) { self.decisions = decisions }

  public func find(_ key: ByteView) -> OwnedDecision? { decisions.first { $0.flagKey.hasSameBytes(as: key) } }

  /// An object of decisions by flag key.
  public func text() -> [UInt8] {
    var writer = JSONWriter(wholeDoubles: .withFraction)
    writer.object { writer in
      for decision in decisions {
        writer.key(utf8: decision.flagKey.bindMemory(to: UInt8.self))
        decision.write(to: &writer)
      }
    }
    return writer.bytes
  }
}
