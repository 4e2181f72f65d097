internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// Configurations, as the service sends them (2.3).
enum KameleoonConfiguration {
  /// - Parameter bytes: JSON, borrowed for the call.
  static func compile(_ bytes: [UInt8], log: Log) throws(KameleoonConfigurationFailure) -> CompiledConfiguration {
    let document: JSONDocument
    do throws(JSONFailure) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw KameleoonConfigurationFailure(message: "the configuration is no JSON: \(error)")
    }
    guard document.withRoot({ $0.object != nil }) else {
      throw KameleoonConfigurationFailure(message: "the configuration is no JSON object")
    }
    guard let snapshot = SnapshotBuilder().finish(evaluate: evaluateFeature) else {
      throw KameleoonConfigurationFailure(message: "the configuration is too large, or memory has run out")
    }
    return document.withRoot { root in
      let general = root["configuration"]
      return CompiledConfiguration(
        snapshot: snapshot, streams: general?["realTimeUpdate"]?.bool ?? false,
        dateModified: root["dateModified"]?.int64 ?? 0,
        dataAPIDomain: Array((general?["dataApiDomain"]?.string ?? "").utf8))
    }
  }
}

extension Snapshot {
  /// Keys that are new, gone or different.
  func changedFeatures(since former: Snapshot?) -> [String] { [] }
}
