internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A tracked event as its record holds it: JSON with the key, the value and its properties as texts.
///
/// Unleash has no tracking events of its own. One is sent as impact metrics: a counter of its key with its properties as
/// labels, and a histogram `KEY_value` when it has a value.
enum TrackedEventText {
  /// Writes the record of an event on the stack, unless it is long.
  static func withRecord<Result>(of event: EventView, _ body: (ByteView) -> Result) -> Result {
    var room = 16 + JSONRawText.maximumNumberBytes + JSONRawText.maximumStringBytes(event.key.count)
    for property in event.properties {
      room += 8 + JSONRawText.maximumStringBytes(property.name.count)
      switch property.value {
      case .text(let text), .json(let text): room += JSONRawText.maximumStringBytes(text.count)
      case .number, .boolean: room += JSONRawText.maximumNumberBytes + 2
      }
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { target in
      body(ByteView(start: target.baseAddress, count: target.baseAddress.map { write(event, to: $0) } ?? 0))
    }
  }

  private static func write(_ event: EventView, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var end = 0
    func raw(_ text: StaticString) {
      (target + end).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
      end &+= text.utf8CodeUnitCount
    }
    raw("{\"k\":")
    end &+= JSONRawText.writeString(event.key, to: target + end)
    if let value = event.value {
      raw(",\"v\":")
      end &+= JSONRawText.writeNumber(value, to: target + end)
    }
    for property in event.properties {
      raw(",\"p.")
      // The name continues a string that has begun: over its own quote.
      let quote = target + (end &- 1)
      let dot = quote.pointee
      end &+= JSONRawText.writeString(property.name, to: quote) &- 1
      quote.pointee = dot
      raw(":")
      switch property.value {
      case .text(let text), .json(let text): end &+= JSONRawText.writeString(text, to: target + end)
      case .boolean(let truth): raw(truth ? "\"true\"" : "\"false\"")
      case .number(let number):
        raw("\"")
        end &+= JSONRawText.writeNumber(number, to: target + end)
        raw("\"")
      }
    }
    raw("}")
    return end
  }

  /// The view of an event that the library holds.
  static func withView<Result>(of event: TrackedEvent, _ body: (EventView) -> Result) -> Result {
    var bytes = Array(event.key.utf8)
    var pieces: [(name: Range<Int>, text: Range<Int>?, number: Double)] = []
    for (name, value) in event.properties {
      let start = bytes.count
      bytes += name.utf8
      let middle = bytes.count
      switch value {
      case .string(let text): bytes += text
      case .double(let number):
        pieces.append((start..<middle, nil, number))
        continue
      default: bytes += ContextJSON.text(of: value)
      }
      pieces.append((start..<middle, middle..<bytes.count, 0))
    }
    let keyBytes = event.key.utf8.count
    return bytes.withUnsafeBytes { bytes in
      func view(_ range: Range<Int>) -> ByteView { ByteView(rebasing: bytes[range]) }
      let properties = pieces.map {
        EventView.Property(name: view($0.name), $0.text.map { .text(view($0)) } ?? .number($0.number))
      }
      return properties.withUnsafeBufferPointer {
        body(
          EventView(
            key: view(0..<keyBytes), value: event.value, properties: $0, unixMilliseconds: event.unixMilliseconds))
      }
    }
  }

  /// The event's; nil when the record cannot be read.
  static func key(_ payload: [UInt8]) -> String? {
    (try? JSONDocument(parsing: payload))?.withRoot { $0["k"]?.string }
  }

  /// Counts a record; nothing when it cannot be read.
  static func count(_ payload: [UInt8], into impact: ImpactMetrics) throws(JSONFailure) {
    let document: JSONDocument
    do { document = try JSONDocument(parsing: payload) } catch {
      if error.kind == .outOfMemory { throw error }
      return
    }
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
  func make(events: [EventRow]) throws(JSONFailure) -> [UInt8] {
    let impact = ImpactMetrics()
    for row in events { try TrackedEventText.count(row.payload, into: impact) }
    return make(bucket: nil, stopUnixMilliseconds: 0, impact: impact.collect())
  }
}
