internal import Glibc
public import HoistBase
public import HoistCore
internal import HoistJSON

/// A decision that outlives its snapshot (`OPT-61`). Immutable; any thread.
public final class HeldDecision: @unchecked Sendable {
  /// Why there is no decision.
  public enum Failure: Sendable {
    case notReady, unknownFlag
  }

  /// Whose decision it is: the user as it was at the call.
  struct Owner {
    let user: OptimizelyUser
    let context: FrozenContext
    let notes: VisitorNotes
  }

  /// The texts in one block, each with a NUL.
  private let memory: UnsafeMutableRawPointer
  private let flagKeyCount: Int
  /// -1 for none.
  private let variationKeyCount: Int
  private let ruleKeyCount: Int
  private let variablesCount: Int
  public let enabled: Bool
  /// There is no flag of that key.
  public let isUnknown: Bool
  public let reasons: [CText]
  private let owner: Owner?
  /// The variables once they have been read; guarded by `Self.reading`, which is held for a moment only.
  private var document: OptimizelyJSON?
  private static let reading = Lock()

  @inline(__always)
  init(_ decision: OptimizelyDecision, reasons: [DecisionReason], owner: Owner?) {
    let (flag, variation, rule, variables) = (
      decision.flagKey, decision.variationKey, decision.ruleKey, decision.variables
    )
    memory = Self.block(flag, variation, rule, variables)
    flagKeyCount = flag.count
    variationKeyCount = variation?.count ?? -1
    ruleKeyCount = rule?.count ?? -1
    variablesCount = variables.count
    enabled = decision.enabled
    isUnknown = false
    self.reasons = reasons.isEmpty ? [] : reasons.map { CText($0.text) }
    self.owner = owner
    owner?.context.retain()
  }

  init(failed failure: Failure, key: ByteView, owner: Owner?) {
    let text = String(decoding: key, as: UTF8.self)
    let empty: StaticString = "{}"
    memory = Self.block(key, nil, nil, ByteView(start: empty.utf8Start, count: 2))
    flagKeyCount = key.count
    variationKeyCount = -1
    ruleKeyCount = -1
    variablesCount = 2
    enabled = false
    isUnknown = failure == .unknownFlag
    let reason = failure == .notReady ? DecisionReason.sdkNotReady : .featureKeyInvalid(text)
    reasons = [CText(reason.text)]
    self.owner = owner
    owner?.context.retain()
  }

  /// An error decision of a client that is not ready, or gone.
  public convenience init(notReady key: ByteView) { self.init(failed: .notReady, key: key, owner: nil) }

  deinit {
    memory.deallocate()
    owner?.context.release()
  }

  @inline(__always)
  private static func block(
    _ flag: ByteView, _ variation: ByteView?, _ rule: ByteView?, _ variables: ByteView
  ) -> UnsafeMutableRawPointer {
    let count = flag.count + (variation?.count ?? 0) + (rule?.count ?? 0) + variables.count + 4
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
    var end = memory
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
    return memory
  }

  public var flagKey: ByteView { ByteView(start: memory, count: flagKeyCount) }

  /// Nil where there is no variation.
  public var variationKey: ByteView? {
    variationKeyCount < 0 ? nil : ByteView(start: memory + (flagKeyCount + 1), count: variationKeyCount)
  }

  /// Nil where no rule decided.
  public var ruleKey: ByteView? { ruleKeyCount < 0 ? nil : ByteView(start: memory + ruleStart, count: ruleKeyCount) }

  /// A JSON object.
  public var variables: ByteView {
    ByteView(start: memory + (ruleStart + max(0, ruleKeyCount) + 1), count: variablesCount)
  }

  private var ruleStart: Int { flagKeyCount + max(0, variationKeyCount) + 2 }

  /// The user as it was when the decision was made; nil for a decision of nobody's.
  public var user: OptimizelyUser? { owner.map { $0.user.copy(context: $0.context, notes: $0.notes) } }

  /// The variables by path (`OPT-71`).
  public var json: OptimizelyJSON? {
    if let document = Self.reading.withLock({ document }) { return document }
    guard let made = OptimizelyJSON(variables) else { return nil }
    return Self.reading.withLock {
      if document == nil { document = made }
      return document
    }
  }

  /// The whole as JSON, the way services tell it.
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
      if let owner {
        writer.key("userContext")
        writer.object { writer in
          writer.member("userId", owner.context.targetingKey ?? .noBytes)
          writer.key("attributes")
          OptimizelyAttributes.write(owner.context, to: &writer)
        }
      }
      writer.key("reasons")
      writer.array { writer in for reason in reasons { writer.string(utf8: reason.buffer) } }
    }
  }
}

/// The decisions of one call, in its order. Immutable.
public final class HeldDecisions: Sendable {
  public let decisions: [HeldDecision]
  public init(_ decisions: [HeldDecision]) { self.decisions = decisions }

  public func find(_ key: ByteView) -> HeldDecision? { decisions.first { $0.flagKey.hasSameBytes(as: key) } }

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
