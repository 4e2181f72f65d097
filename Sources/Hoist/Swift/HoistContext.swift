internal import CShims
internal import HoistBase
public import HoistCore

/// The subject of evaluations: a targeting key and attributes. A value: copies change on their own.
///
/// Keep one for many evaluations: what evaluators read is prepared at the first use after a change.
public struct HoistContext: Sendable {
  private var storage: EvaluationContext

  /// - Parameter attributes: those that are refused are left out; `set` says why.
  public init(_ targetingKey: String? = nil, _ attributes: [String: HoistValue] = [:]) {
    storage = EvaluationContext(targetingKey: targetingKey.map { Array($0.utf8) })
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) { _ = set(name, value) }
  }

  /// Reads a JSON object: member "targetingKey" is the targeting key, every other member an attribute.
  public init(json: String) throws(HoistError) {
    let result = json.withBytes { bytes in
      Result { () throws(ContextJSON.Failure) in try ContextJSON.context(bytes) }
    }
    switch result {
    case .success(let context): storage = context
    case .failure(let failure): throw HoistError(property: "", message: failure.message)
    }
  }

  public var targetingKey: String? {
    get { storage.content.key.map { String(decoding: $0, as: UTF8.self) } }
    set { change { $0.setTargetingKey(newValue.map { Array($0.utf8) }) } }
  }

  /// Sets an attribute, in place of what it was.
  /// - Returns: `.limit` for a name over 1024 bytes, a value over 1 MiB, or more than 10,000 attributes;
  ///   `.argument` for a number that is not finite.
  @discardableResult
  public mutating func set(_ name: String, _ value: HoistValue) -> HoistStatus {
    change { context in
      do throws(EvaluationContext.Refusal) {
        try context.set(Array(name.utf8), value.attribute)
        return .ok
      } catch {
        switch error {
        case .nameTooLong, .valueTooLarge, .tooManyAttributes: return .limit
        case .notFinite, .invalidUTF8: return .argument
        }
      }
    }
  }

  /// - Returns: false when there is no attribute of that name.
  @discardableResult
  public mutating func remove(_ name: String) -> Bool { change { $0.remove(Array(name.utf8)) } }

  /// As `init(json:)` reads it.
  public var json: String { String(decoding: ContextJSON.text(of: storage), as: UTF8.self) }

  private mutating func change<Result>(_ body: (EvaluationContext) -> Result) -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
    return body(storage)
  }

  var reference: ContextReference? { storage.reference() }

  /// Lends what evaluators find the context by.
  @inline(__always)
  func withSubject<Result>(_ body: (UnsafeMutablePointer<shim_subject>) -> Result) -> Result {
    withExtendedLifetime(storage) { body(storage.subject) }
  }
}

extension HoistContext: Equatable {
  /// Same targeting key and same attributes, in whatever order they were set.
  public static func == (left: HoistContext, right: HoistContext) -> Bool {
    guard left.storage !== right.storage else { return true }
    let (one, other) = (left.storage.content, right.storage.content)
    guard one.key == other.key, one.attributes.count == other.attributes.count else { return false }
    let values = Dictionary(one.attributes.map { ($0.name, $0.value) }) { $1 }
    return other.attributes.allSatisfy { values[$0.name] == $0.value }
  }
}
