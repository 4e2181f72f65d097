internal import HoistBase
internal import HoistCore

/// Compiles flags into one snapshot, or into the room of another one.
///
/// Used once: `add` the segments, then every flag, then `finish`. Flags that cannot be compiled are off and
/// leave a warning. Texts given to `add` are borrowed for the call.
struct FeatureCompiler: ~Copyable {
  var builder: SnapshotBuilder
  /// Copies of the texts that are keys here.
  var arena = TextArena()
  let options: UnleashOptions
  let resources: SnapshotResources
  private(set) var warnings: [UnleashWarning] = []

  var fields: [BytesKey: Place<FieldRecord>] = [:]
  var segments: [Int32: CompiledSegment] = [:]
  var expressions: [ExpressionKey: Place<RegexReference>?] = [:]
  private(set) var flags: [CompiledFlag] = []
  /// The last flag of each name.
  private var indices: [BytesKey: Int] = [:]
  private var root: SnapshotRoot
  private var latestDetails: (type: ByteView?, project: ByteView?, place: Place<FlagDetails>)?

  struct CompiledSegment {
    var range: SegmentRange
    var fingerprint: UInt64
    var failure: RuleFailure?
  }

  struct CompiledFlag {
    var place: Place<UnleashFlagRecord>
    var name: ByteView
    var record: UnleashFlagRecord
    var dependencies: [DependencyDefinition]
  }

  init(_ options: UnleashOptions, expectedBytes: Int) {
    self.options = options
    resources = SnapshotResources(Array(options.strategies.values))
    builder = SnapshotBuilder(expectedBytes: expectedBytes)
    root = SnapshotRoot(disabledName: builder.text("disabled"))
    makeFixedFields()
  }

  /// For flags that take the place of others in a snapshot that was compiled with the same options.
  init(patching snapshot: Snapshot, _ resources: SnapshotResources, _ options: UnleashOptions) {
    self.options = options
    self.resources = resources
    builder = SnapshotBuilder(patching: snapshot)
    root = snapshot.root().pointee
    segments = resources.segments
    let known = [root.userID, root.sessionID] + (0..<Int(root.staticFieldCount)).map { root.staticFields.at($0) }
    for place in known { fields[BytesKey(snapshot.base.at(place).pointee.name.bytes(snapshot.base))] = place }
  }

  private mutating func makeFixedFields() {
    let given = [(FieldNames.appName, options.appName), (FieldNames.environment, options.environment)]
    var records: [FieldRecord] = []
    var names: [ByteView] = []
    for (name, value) in given {
      guard let value else { continue }
      var record = FieldRecord(nameHash: Hash64.hash(name), name: builder.text(name))
      record.staticValue = builder.text(value)
      record.staticHash = Hash64.hash(value)
      records.append(record)
      names.append(name)
    }
    root.staticFields = builder.append(contentsOf: records)
    root.staticFieldCount = UInt32(records.count)
    for (index, name) in names.enumerated() {
      fields[BytesKey(name)] = root.staticFields.at(index)
    }
    root.userID = field(FieldNames.userID)
    root.sessionID = field(FieldNames.sessionID)
  }

  mutating func add(_ segment: SegmentDefinition) {
    var fingerprint = Fingerprint()
    fingerprint.add(segment.constraints)
    let ordinal = segments[segment.id]?.range.ordinal ?? UInt32(clamping: segments.count)
    var compiled = CompiledSegment(
      range: SegmentRange(conditions: .none, count: 0, ordinal: ordinal, id: segment.id), fingerprint: fingerprint.value)
    do throws(RuleFailure) {
      (compiled.range.conditions, compiled.range.count) = try compile(segment.constraints)
    } catch {
      compiled.failure = error.within("segment \(segment.id)")
    }
    segments[segment.id] = compiled  // of segments of one id the last counts
  }

  mutating func add(_ feature: FeatureDefinition) {
    var record = UnleashFlagRecord(head: FlagHead(name: builder.text(feature.name)))
    var fingerprint = Fingerprint()
    fingerprint.add(feature) { segments[$0]?.fingerprint }
    record.fingerprint = fingerprint.value
    if feature.enabled { record.traits.insert(.enabled) }
    if feature.stale { record.traits.insert(.stale) }
    if feature.impressionData || options.impressionDataAll { record.traits.insert(.impression) }

    var failure: RuleFailure?
    var strategies: [StrategyRecord] = []
    do throws(RuleFailure) {
      strategies = try compile(feature.strategies, of: feature)
    } catch {
      failure = error
      record.traits.insert(.broken)
      warnings.append(
        UnleashWarning(flag: String(decoding: feature.name, as: UTF8.self), message: error.message))
    }
    addVariants(feature, &strategies, &record)
    record.strategies = builder.append(contentsOf: strategies)
    record.strategyCount = UInt32(strategies.count)
    record.details = details(feature, failure)
    setConstant(feature, strategies, &record)

    let name = arena.keep(feature.name)
    indices[BytesKey(name)] = flags.count
    flags.append(
      CompiledFlag(
        place: builder.append(record), name: name, record: record, dependencies: kept(feature.dependencies)))
  }

  private mutating func kept(_ dependencies: [DependencyDefinition]) -> [DependencyDefinition] {
    var copies = dependencies
    for index in copies.indices {
      copies[index].feature = arena.keep(copies[index].feature)
      for variant in copies[index].variants.indices {
        copies[index].variants[variant] = arena.keep(copies[index].variants[variant])
      }
    }
    return copies
  }

  /// What holds for every context is decided now.
  private func setConstant(
    _ feature: FeatureDefinition, _ strategies: [StrategyRecord], _ record: inout UnleashFlagRecord
  ) {
    if !feature.enabled || record.traits.contains(.broken) {
      record.traits.insert(.alwaysOff)
      record.constantReason = .disabled
    } else if feature.dependencies.isEmpty {
      let isUnconditional = strategies.first.map {
        $0.kind == .always && $0.conditionCount == 0 && $0.segmentCount == 0
      }
      if isUnconditional ?? true {
        record.traits.insert(.alwaysOn)
        record.constantReason = .static
      }
    }
  }

  /// Most flags share type and project, and have no other details.
  private mutating func details(_ feature: FeatureDefinition, _ failure: RuleFailure?) -> Place<FlagDetails> {
    let isPlain = feature.description?.isEmpty ?? true && failure == nil
    if isPlain, let latest = latestDetails, same(latest.type, feature.type), same(latest.project, feature.project) {
      return latest.place
    }
    var details = FlagDetails()
    if let type = feature.type { details.type = builder.text(type) }
    if let project = feature.project { details.project = builder.text(project) }
    if let description = feature.description { details.description = builder.text(description) }
    if let failure { details.warning = builder.text(failure.message) }
    let place = builder.append(details)
    if isPlain {
      latestDetails = (feature.type.map { arena.keep($0) }, feature.project.map { arena.keep($0) }, place)
    }
    return place
  }

  private func same(_ left: ByteView?, _ right: ByteView?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left.hasSameBytes(as: right)
  }

  /// - Returns: nil when memory ran out or the configuration is too large.
  consuming func finish() -> (snapshot: Snapshot, warnings: [UnleashWarning])? {
    for index in flags.indices where indices[BytesKey(flags[index].name)] == index {
      addDependencies(index)
      builder.addFlag(record: flags[index].place, name: flags[index].record.head.name)
    }
    let root = builder.append(self.root)
    let (warnings, resources) = (warnings, resources)
    resources.segments = segments
    let made = builder.finish(evaluate: evaluateFeature, root: root, resources: resources, hasRoom: true)
    guard let snapshot = made else { return nil }
    return (snapshot, warnings)
  }

  /// Parents are found when all flags are there.
  private mutating func addDependencies(_ index: Int) {
    let dependencies = flags[index].dependencies
    guard !dependencies.isEmpty else { return }
    var record = flags[index].record
    var group = Murmur3State(flags[index].name)
    group.append(0x3A)
    var fingerprint = record.fingerprint
    var records: [DependencyRecord] = []
    for dependency in dependencies {
      var made = DependencyRecord(name: builder.text(dependency.feature), wantsEnabled: dependency.enabled)
      if let at = indices[BytesKey(dependency.feature)] {
        made.parent = flags[at].place
        made.parentDepends = !flags[at].dependencies.isEmpty
        flags[at].record.traits.insert(.parent)
        builder.update(at: flags[at].place) { $0.traits.insert(.parent) }
        fingerprint = Hash64.combine(fingerprint, flags[at].record.fingerprint)
      }
      let names = dependency.variants.map { builder.text($0) }
      made.variants = builder.append(contentsOf: names)
      made.variantCount = UInt32(names.count)
      records.append(made)
    }
    record.dependencies = builder.append(DependencyList(count: UInt32(records.count), childGroup: group))
    _ = builder.append(contentsOf: records)
    record.fingerprint = fingerprint
    builder.store(record, at: flags[index].place)
  }
}

/// The names of context fields that rules know without naming them.
enum FieldNames {
  static var appName: ByteView { view("appName") }
  static var environment: ByteView { view("environment") }
  static var userID: ByteView { view("userId") }
  static var sessionID: ByteView { view("sessionId") }
  static var remoteAddress: ByteView { view("remoteAddress") }

  private static func view(_ text: StaticString) -> ByteView {
    ByteView(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }
}

/// Why a flag's rules cannot be compiled; the whole flag is off then (protocols/unleash.md C.2).
struct RuleFailure: Error {
  var message: String

  init(_ message: String) { self.message = message }

  func within(_ place: String) -> RuleFailure { RuleFailure("\(place): \(message)") }

  /// Artefacts of how the vendor's engine quotes rules, reproduced because its users see them.
  static func checkQuoting(
    _ text: ByteView, _ what: StaticString, refusesQuotes: Bool
  ) throws(RuleFailure) {
    if refusesQuotes, text.contains(0x22) { throw RuleFailure("\(what) has a quotation mark") }
    if text.last == 0x5C { throw RuleFailure("\(what) ends in a backslash") }
  }
}

/// A flag that is off because its rules cannot be compiled.
public struct UnleashWarning: Sendable, Equatable {
  public let flag: String
  /// One line, without the flag's name.
  public let message: String
}
