internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What is posted as metrics (protocol B.3, rows UNL-61, UNL-74, UNL-76, UNL-88).
struct MetricsBody: Sendable {
  let options: UnleashSettings

  /// - Parameter bucket: nil when there are impact metrics only.
  func make(bucket: MetricsBucket?, stopUnixMilliseconds: Int64, impact: [ImpactMetrics.Metric]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      func text(_ name: String, _ value: String) {
        writer.key(name)
        writer.string(value)
      }
      text("appName", options.appName)
      text("instanceId", options.instanceID)
      text("connectionId", options.connectionID)
      writer.key("bucket")
      if let bucket { Self.write(bucket, stopUnixMilliseconds, to: &writer) } else { writer.null() }
      text("platformName", "hoist")
      text("platformVersion", HoistVersion.text)
      text("specVersion", RequestHeaders.clientSpecification)
      if !options.flavor.isEmpty { text("sdkFlavor", options.flavor) }
      if !options.flavorVersion.isEmpty { text("sdkFlavorVersion", options.flavorVersion) }
      if !impact.isEmpty {
        writer.key("impactMetrics")
        ImpactMetrics.write(impact, labels: labels, to: &writer)
      }
    }
    return writer.bytes
  }

  private static func write(_ bucket: MetricsBucket, _ stop: Int64, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("start")
      writer.string(RFC3339.text(unixMilliseconds: bucket.startUnixMilliseconds))
      writer.key("stop")
      writer.string(RFC3339.text(unixMilliseconds: max(stop, bucket.startUnixMilliseconds)))
      writer.key("toggles")
      bucket.writeToggles(to: &writer)
    }
  }

  /// Labels of every impact sample: the application, and the environment that the key names, else the option's.
  private var labels: ImpactMetrics.Labels {
    ["appName": options.appName, "environment": Self.environment(ofKey: options.key) ?? options.environment]
  }

  /// The text between the first ":" and the next ".".
  static func environment(ofKey key: Secret) -> String? {
    key.withRevealedBytes { bytes in
      guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let rest = bytes[(colon + 1)...]
      guard let dot = rest.firstIndex(of: UInt8(ascii: ".")), dot > rest.startIndex else { return nil }
      return String(decoding: rest[..<dot], as: UTF8.self)
    }
  }
}
