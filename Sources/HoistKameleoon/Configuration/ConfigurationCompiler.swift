internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Lays a configuration out as one snapshot (protocols/kameleoon.md 2.3), each element by itself: one that cannot be read
/// is left out, and said, and spoils no other. Used once; the document outlives it.
struct ConfigurationCompiler: ~Copyable {
  let options: ConfigurationOptions
  var builder: SnapshotBuilder
  var root = KameleoonRoot()
  var bad: BadElements
  /// For one value after the other.
  var writer = JSONWriter(wholeDoubles: .withFraction)
  let resources = SnapshotResources()
  /// By pattern; none for one that cannot be used.
  var knownExpressions: [BytesKey: Place<RegexReference>] = [:]
  /// By id.
  var segments: [Int64: (place: Place<SegmentRecord>, fingerprint: Fingerprint, asksAssignments: Bool)] = [:]
  var customData: [CustomDataDefinition] = []
  /// In the order of the configuration, one of a key.
  var flags: [JSONNode] = []
  /// Places in `flags`; of several of one id the last.
  var flagsByID: [Int64: UInt32] = [:]
  /// The present flag's `VariationRecord`s by where their keys are; of several of one key the first.
  var variationPlaces: [Int64: Place<VariationRecord>] = [:]
  var groups: [BytesKey: Place<GroupRecord>] = [:]
  var groupsFingerprint = Fingerprint()
  var holdoutFingerprint: UInt64 = 0
  var experiments: [Int64: Place<RuleRecord>] = [:]

  init(_ options: ConfigurationOptions, expectedBytes: Int) {
    self.options = options
    builder = SnapshotBuilder(expectedBytes: expectedBytes)
    bad = BadElements("the configuration", options.log)
  }

  /// - Returns: nil when memory ran out or the configuration is too large.
  consuming func compile(_ document: JSONNode) -> CompiledConfiguration? {
    let general = document["configuration"]
    root.isStrict = options.isStrict
    root.dateModified = document["dateModified"]?.wholeNumber ?? 0
    root.requiresConsent = general?["consentType"]?.bytes?.reads("REQUIRED") ?? false
    root.blocksFully = general?["consentOptOutBehavior"]?.bytes?.reads("FULLY_BLOCK") ?? false
    addCustomData(document["customData"])
    addFlagPlaces(document["featureFlags"])
    addSegments(document["segments"])
    addHoldout(document["holdout"])
    addFlags()
    bad.finish()
    let date = self.root.dateModified
    let root = builder.append(self.root)
    guard let snapshot = builder.finish(evaluate: evaluateKameleoonFlag, root: root, resources: resources) else { return nil }
    return CompiledConfiguration(
      snapshot: snapshot, streams: general?["realTimeUpdate"]?.bool ?? false, dateModified: date,
      dataAPIDomain: Array(general?["dataApiDomain"]?.bytes ?? .noBytes))
  }

  private mutating func addCustomData(_ list: JSONNode?) {
    for (index, node) in elements(list, "customData").enumerated() {
      let place = ElementPlace().inside("custom data", node["name"]?.bytes ?? .noBytes, index)
      guard let dataIndex = node["index"]?.wholeNumber, dataIndex >= 0 else {
        if node["index"]?.unlessNull != nil { bad.note(place.text, "\"index\" is no index: it is left out") }
        continue
      }
      customData.append(
        CustomDataDefinition(
          id: node["id"]?.wholeNumber ?? 0, index: dataIndex, name: Array(node["name"]?.bytes ?? .noBytes),
          isVisitorScoped: node["scope"]?.bytes?.reads("VISITOR") ?? false, isLocalOnly: node["localOnly"]?.bool ?? false,
          isMappingIdentifier: node["isMappingIdentifier"]?.bool ?? false))
    }
    if customData.count(where: \.isMappingIdentifier) > 1 {
      bad.note("customData", "several are the mapping identifier: the last one is taken")
    }
    let records = customData.map { data in
      CustomDataRecord(
        name: builder.text(data.name), nameHash: Hash64.hash(data.name), id: data.id, index: data.index,
        isVisitorScoped: data.isVisitorScoped, isLocalOnly: data.isLocalOnly, isMappingIdentifier: data.isMappingIdentifier)
    }
    root.customData = builder.append(contentsOf: records)
    root.customDataCount = UInt32(clamping: records.count)
  }

  /// Objects of an array; the rest is left out, and said.
  mutating func elements(_ node: JSONNode?, _ name: StaticString, _ place: ElementPlace = ElementPlace()) -> [JSONNode] {
    guard let node = node?.unlessNull else { return [] }
    guard let array = node.array else {
      bad.note(place.text.isEmpty ? "\(name)" : place.text, "\"\(name)\" is no array")
      return []
    }
    var objects: [JSONNode] = []
    objects.reserveCapacity(array.count)
    for (index, element) in array.enumerated() {
      if element.object != nil { objects.append(element) } else { bad.note(place.text, "\"\(name)\" \(index) is no object") }
    }
    return objects
  }
}

extension JSONNode {
  /// An integer, also where it is written as `1.0`.
  var wholeNumber: Int64? { int64 ?? double.flatMap { Int64(exactly: $0) } }
}
