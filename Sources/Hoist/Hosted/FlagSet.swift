internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags to be published together: what a `hoist_flag_set` handle holds. One thread at a time.
final class FlagSet {
  static let maximumFlags = 1_000_000
  static let maximumVariations = 1_000

  struct Flag {
    let key: [UInt8]
    let traits: HostedFlagTraits
    let defaultVariation: Int32
    let variations: [(name: [UInt8], json: [UInt8])]
    /// Empty for none.
    let metadata: [UInt8]
  }

  private struct Entry {
    let flag: Flag
    let values: [HostedValue]
    let metadata: [UInt8]
  }

  private var flags: [Entry] = []
  private var names: Set<[UInt8]> = []
  private var textBytes = 0
  /// Fingerprint of the only context that the flags hold for; 0 takes any.
  var contextFingerprint: UInt64 = 0
  private(set) var isDecidedPerCall = false

  /// Checks everything of the flag before it is stored.
  func add(_ flag: Flag) throws(Refusal) {
    func refuse(_ status: Status, _ what: String) -> Refusal { Self.refusal(of: flag.key, status, what) }
    guard !flag.key.isEmpty else { throw Refusal(.argument, "a flag's key is empty") }
    guard flag.key.count <= Client.maximumKeyBytes else { throw refuse(.limit, "has a key of more than 4096 bytes") }
    guard !names.contains(flag.key) else { throw refuse(.argument, "is there already") }
    guard flag.defaultVariation >= -1, flag.variations.isEmpty || Int(flag.defaultVariation) < flag.variations.count else {
      throw refuse(.argument, "has no variation \(flag.defaultVariation), which is to be its default")
    }
    var values: [HostedValue] = []
    for (index, variation) in flag.variations.enumerated() {
      guard let value = HostedValue(json: variation.json) else {
        let name = String(decoding: variation.name.prefix(200), as: UTF8.self)
        throw refuse(.parse, "has a variation \(index) (\"\(name)\") whose value is not JSON")
      }
      values.append(value)
    }
    guard let metadata = Self.object(flag.metadata) else { throw refuse(.parse, "has metadata that are no JSON object") }
    guard flags.count < Self.maximumFlags else { throw Refusal(.limit, "a set has at most \(Self.maximumFlags) flags") }
    flags.append(Entry(flag: flag, values: values, metadata: metadata))
    names.insert(flag.key)
    textBytes += flag.variations.reduce(flag.key.count + flag.metadata.count) { $0 + $1.name.count + $1.json.count }
    if flag.traits.contains(.decidedPerCall) { isDecidedPerCall = true }
  }

  static func refusal(of key: [UInt8], _ status: Status, _ what: String) -> Refusal {
    Refusal(status, "flag \"\(String(decoding: key.prefix(200), as: UTF8.self))\" \(what)")
  }

  /// The object, rewritten; empty for none, nil when it is no object.
  private static func object(_ json: [UInt8]) -> [UInt8]? {
    if json.isEmpty { return [] }
    return (try? JSONDocument(parsing: json))?.withRoot { $0.object == nil ? nil : try? $0.text() }
  }

  /// - Returns: the block, owned by the caller; nil when it is too large, or memory has run out.
  func compile(for instance: HostedInstance) -> Snapshot? {
    var builder = SnapshotBuilder(expectedBytes: 4096 &+ flags.count &* 200 &+ textBytes &* 2)
    for entry in flags { Self.add(entry, to: &builder) }
    let root = builder.append(
      HostedRoot(contextFingerprint: contextFingerprint, instance: .passUnretained(instance)))
    return builder.finish(evaluate: evaluateHostedFlag, root: root, resources: instance)
  }

  private static func add(_ entry: Entry, to builder: inout SnapshotBuilder) {
    let flag = entry.flag
    let name = builder.text(flag.key)
    var fingerprint = Fingerprint()
    fingerprint.add(flag.traits.rawValue)
    fingerprint.add(flag.defaultVariation)
    fingerprint.add(entry.values.count)
    let records = zip(flag.variations, entry.values).map { variation, value in
      variation.name.withBytes { fingerprint.add($0) }
      value.json.withBytes { fingerprint.add($0) }
      return value.record(named: builder.text(variation.name), in: &builder)
    }
    let record = HostedFlagRecord(
      head: FlagHead(name: name), fingerprint: fingerprint.value, traits: flag.traits,
      defaultVariation: flag.defaultVariation, variations: builder.append(contentsOf: records),
      variationCount: Int32(clamping: records.count),
      metadata: entry.metadata.isEmpty ? .none : builder.text(entry.metadata))
    builder.addFlag(record: builder.append(record), name: name)
  }
}

/// What a JSON text says, in the core's terms.
private struct HostedValue {
  var kind: ValueKind = .none
  var isWhole = false
  var integer: Int64 = 0
  var number: Double = 0
  var string: [UInt8]?
  /// The text, written anew: free of what only lenient readers take.
  var json = Array("null".utf8)

  /// nil for what is not JSON. Empty text is null.
  init?(json: [UInt8]) {
    if json.isEmpty { return }
    guard let document = try? JSONDocument(parsing: json), let value = document.withRoot({ HostedValue($0) }) else {
      return nil
    }
    self = value
  }

  private init?(_ value: JSONValue) {
    guard let text = try? value.text() else { return nil }
    json = text
    if let truth = value.bool {
      (kind, integer) = (.bool, truth ? 1 : 0)
    } else if let text = value.utf8 {
      (kind, string) = (.string, Array(text))
    } else if let whole = value.int64 {
      (kind, isWhole, integer, number) = (.int, true, whole, Double(whole))
    } else if let real = value.double {
      (kind, number) = (.double, real)
      if let whole = Int64(exactly: real) { (isWhole, integer) = (true, whole) }
    } else if !value.isNull {
      kind = .json
    }
  }

  func record(named name: TextReference, in builder: inout SnapshotBuilder) -> HostedVariationRecord {
    HostedVariationRecord(
      name: name, kind: kind, isWhole: isWhole, string: string.map { builder.text($0) } ?? .none,
      json: builder.text(json), integer: integer, number: number)
  }
}

extension Snapshot {
  func changedHostedFlags(since old: Snapshot?) -> [String] {
    changedNames(since: old) { $0.assumingMemoryBound(to: HostedFlagRecord.self).pointee.fingerprint }
  }
}
