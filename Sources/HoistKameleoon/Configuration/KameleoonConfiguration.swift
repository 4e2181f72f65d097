internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Configurations, as the service sends them (protocols/kameleoon.md 2.3).
enum KameleoonConfiguration {
  /// - Parameter text: JSON, borrowed for the call.
  static func compile(
    _ text: some ByteSource, _ options: ConfigurationOptions = ConfigurationOptions()
  ) throws(KameleoonConfigurationFailure) -> CompiledConfiguration {
    try text.withBytes { text in Result { () throws(KameleoonConfigurationFailure) in try read(text, options) } }.get()
  }

  private static func read(
    _ text: ByteView, _ options: ConfigurationOptions
  ) throws(KameleoonConfigurationFailure) -> CompiledConfiguration {
    let compiled: CompiledConfiguration??
    var listsFlags = false
    var isOther = false
    do throws(JSONFailure) {
      compiled = try JSONNode.parse(text) { document in
        guard document.object != nil else { return .none }
        isOther = !isConfiguration(document, options)
        if isOther { return .none }
        listsFlags = document["featureFlags"]?.array?.isEmpty == false
        return .some(ConfigurationCompiler(options, expectedBytes: text.count &* 2).compile(document))
      }
    } catch {
      throw KameleoonConfigurationFailure(message: "the configuration is no JSON: \(error)")
    }
    if isOther { throw KameleoonConfigurationFailure(message: "it is an object, but no configuration") }
    guard let compiled else { throw KameleoonConfigurationFailure(message: "the configuration is no JSON object") }
    guard let compiled else {
      throw KameleoonConfigurationFailure(message: "the configuration is too large, or memory has run out")
    }
    guard compiled.snapshot.flagCount > 0 || !listsFlags else {
      compiled.snapshot.destroy()
      throw KameleoonConfigurationFailure(message: "none of the configuration's flags can be read")
    }
    return compiled
  }
}

extension KameleoonConfiguration {
  private static let members: [StaticString] = [
    "configuration", "dateModified", "customData", "segments", "featureFlags", "holdout",
  ]

  /// An error answer may be an object, too, also an empty one: it must not replace the last good configuration. The vendor's
  /// SDK takes an empty object for a configuration without flags.
  private static func isConfiguration(_ document: JSONNode, _ options: ConfigurationOptions) -> Bool {
    if let flags = document["featureFlags"]?.unlessNull, flags.array == nil { return false }
    return members.contains { document[$0] != nil } || (options.isStrict && document.object?.isEmpty == true)
  }
}

/// What else has to be known of a configuration.
extension Snapshot {
  @inline(__always)
  var kameleoonRoot: UnsafePointer<KameleoonRoot> { root() }

  /// Whether visitors have to consent (protocols/kameleoon.md 3.8).
  var requiresConsent: Bool { kameleoonRoot.pointee.requiresConsent }

  /// Copied.
  var customDataDefinitions: CustomDataDefinitions {
    let root = kameleoonRoot
    let records = UnsafeBufferPointer(start: base.at(root.pointee.customData), count: Int(root.pointee.customDataCount))
    return CustomDataDefinitions(
      records.map {
        CustomDataDefinition(
          id: $0.id, index: $0.index, name: Array($0.name.bytes(base)), isVisitorScoped: $0.isVisitorScoped,
          isLocalOnly: $0.isLocalOnly, isMappingIdentifier: $0.isMappingIdentifier)
      })
  }

  /// Keys that are new, gone or different.
  func changedFeatures(since former: Snapshot?) -> [String] {
    changedNames(since: former) { $0.assumingMemoryBound(to: KameleoonFlagRecord.self).pointee.fingerprint }
  }
}

/// A configuration that can be served, and what else has to be known of it. The snapshot belongs to its holder: serve
/// it, or destroy it.
struct CompiledConfiguration: @unchecked Sendable {
  let snapshot: Snapshot
  /// Whether changes are streamed (4.2).
  var streams = false
  /// 0 for none (KAM-B11).
  var dateModified: Int64 = 0
  /// "" changes nothing (2.1).
  var dataAPIDomain: [UInt8] = []
}

/// Why a configuration cannot be served; a line for people.
struct KameleoonConfigurationFailure: Error, Equatable {
  var message: String
}

/// What a configuration is compiled for.
struct ConfigurationOptions {
  /// What conditions on the SDK's language compare with.
  var sdkName: [UInt8] = Array("SWIFT".utf8)
  var sdkVersion: [UInt8] = Array("4.25.0".utf8)
  /// Expressions are searched for; else they have to match the whole text (section 7, A2).
  var searchesExpressions = false
  /// As the vendor's own SDK, where this one departs from it (section 7).
  var isStrict = false
  var regexEngine: (any RegexEngine)?
  /// Receives warnings about bad elements.
  var log: Log?

  /// For comparing and tests.
  init() {}

  init(_ settings: KameleoonSettings, _ host: any ProviderHost) {
    sdkName = Array(settings.sdkName.utf8)
    sdkVersion = Array(settings.sdkVersion.utf8)
    searchesExpressions = settings.searchesRegex
    isStrict = settings.isStrictVendor
    regexEngine = host.regex
    log = host.log
  }
}

/// Experiments by id (protocols/kameleoon.md 3.7).
extension Snapshot {
  /// The rule of an experiment; of several the last one of the configuration.
  func kameleoonRule(ofExperiment id: Int64) -> UnsafePointer<RuleRecord>? {
    let root = kameleoonRoot
    let entries = UnsafeBufferPointer(start: base.at(root.pointee.experiments), count: Int(root.pointee.experimentCount))
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low &+ high) / 2
      if entries[middle].id < id { low = middle &+ 1 } else { high = middle }
    }
    return low < entries.count && entries[low].id == id ? base.at(entries[low].rule) : nil
  }

  /// Why a variation cannot be forced; `.ok` when it can (KAM-B01).
  func statusOfForcing(_ experimentID: Int64, _ key: [UInt8]) -> Status {
    guard let rule = kameleoonRule(ofExperiment: experimentID) else { return .kameleoonFeatureExperimentNotFound }
    let rows = UnsafeBufferPointer(start: base.at(rule.pointee.rows), count: Int(rule.pointee.rowCount))
    return rows.contains { row in key.withBytes { $0.hasSameBytes(as: row.key.bytes(base)) } }
      ? .ok : .kameleoonFeatureVariationNotFound
  }
}
