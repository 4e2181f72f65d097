internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Flags that have changed, ready to be served in the place of those of before.
struct UnleashPatch {
  let patch: SnapshotPatch
  /// Names of those whose values may differ.
  let changed: [String]
  let warnings: [UnleashWarning]
}

/// Others change with the flag: it depends on them, or they on it.
struct FlagHasRelations: Error {}

extension UnleashFeatures {
  /// - Parameters:
  ///   - features: definitions that were read before, of flags that the snapshot has, one each.
  ///   - served: was compiled with the same options.
  /// - Returns: nil where all flags should be compiled.
  static func patch(_ features: [[UInt8]], of served: Snapshot, _ options: UnleashOptions) -> UnleashPatch? {
    guard let resources = SnapshotResources.of(served.base) else { return nil }
    var changed: [String] = []
    var warnings: [UnleashWarning] = []
    let patch = try? SnapshotPatch(of: served) { snapshot throws(FlagHasRelations) in
      var compiler = FeatureCompiler(patching: snapshot, resources, options)
      let replacements = try compiler.replacements(features, in: snapshot)
      changed = zip(replacements, compiler.flags).compactMap { former, flag in
        former.fingerprint == flag.record.fingerprint ? nil : String(decoding: flag.name, as: UTF8.self)
      }
      warnings = compiler.warnings
      return compiler.patch(replacements.map(\.replacement))
    }
    return patch.map { UnleashPatch(patch: $0, changed: changed, warnings: warnings) }
  }
}

extension FeatureCompiler {
  typealias Replaced = (replacement: SnapshotPatch.Replacement, fingerprint: UInt64)

  fileprivate mutating func replacements(_ features: [[UInt8]], in snapshot: Snapshot) throws(FlagHasRelations) -> [Replaced] {
    var all: [Replaced] = []
    for feature in features {
      let replaced = feature.withBytes { text in
        Result { () throws(UnleashDocumentFailure) in
          try DocumentParts(text, options.limits).parse(text) { value throws(JSONDecodingError) in
            replace(try FeatureReader(limits: options.limits).feature(value), in: snapshot)
          }
        }
      }
      guard case .success(let replaced?) = replaced else { throw FlagHasRelations() }
      all.append(replaced)
    }
    return all
  }

  private mutating func replace(_ feature: FeatureDefinition, in snapshot: Snapshot) -> Replaced? {
    guard let record = snapshot.find(feature.name) else { return nil }
    let former = record.assumingMemoryBound(to: UnleashFlagRecord.self)
    let isAlone = feature.dependencies.isEmpty && former.pointee.dependencies.isNone && !former.pointee.traits.contains(.parent)
    guard isAlone else { return nil }
    add(feature)
    return flags.last.map { (SnapshotPatch.Replacement(record, in: snapshot, by: $0.place), former.pointee.fingerprint) }
  }

  fileprivate consuming func patch(_ replacements: [SnapshotPatch.Replacement]) -> SnapshotPatch? { builder.patch(replacements) }
}
