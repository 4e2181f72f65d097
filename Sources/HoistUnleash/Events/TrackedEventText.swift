internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A tracked event as its record holds it: JSON with the key, the value and the texts among its properties.
///
/// Unleash has no tracking events of its own. One is sent as impact metrics: a counter of its key with its texts as
/// labels, and a histogram `KEY_value` when it has a value.
enum TrackedEventText {
  static func encode(_ event: TrackedEvent) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 64 + event.key.utf8.count)
    writer.object { writer in
      writer.key("k")
      writer.string(event.key)
      if let value = event.value {
        writer.key("v")
        writer.double(value)
      }
      for (name, value) in event.properties {
        guard case .string(let text) = value else { continue }
        writer.key("p." + name)
        text.withUnsafeBufferPointer { writer.string(utf8: $0) }
      }
    }
    return writer.bytes
  }

  /// Counts a record; nothing when it cannot be read.
  static func count(_ payload: [UInt8], into impact: ImpactMetrics) {
    guard let document = try? JSONDocument(parsing: payload) else { return }
    document.withRoot { root in
      guard let object = root.object, let key = root["k"]?.string else { return }
      var labels: ImpactMetrics.Labels = [:]
      for (name, value) in object where name.string.hasPrefix("p.") {
        labels[String(name.string.dropFirst(2))] = value.string
      }
      impact.define(key, help: "tracked events", .counter)
      impact.increment(key, by: 1, labels)
      guard let value = root["v"]?.double else { return }
      impact.define(key + "_value", help: "values of tracked events", .histogram(bounds: ImpactMetrics.defaultBounds))
      impact.observe(key + "_value", value, labels)
    }
  }
}

extension MetricsBody {
  /// The body for a batch of tracked events: the same for the same batch.
  func make(events: [EventRow]) -> [UInt8] {
    let impact = ImpactMetrics()
    for row in events { TrackedEventText.count(row.payload, into: impact) }
    return make(bucket: nil, stopUnixMilliseconds: 0, impact: impact.collect())
  }
}
