internal import HoistBase
public import HoistCore
internal import HoistJSON

/// What the prediction server of contextual bandits is asked (protocols/optimizely.md 3.7, 4.15).
public struct PredictionRequest: Sendable, Equatable {
  public let experimentID: [UInt8]
  public let userID: [UInt8]
  /// Sent with the request, and with the impression of what it chooses.
  public let uuid: String
  /// The attributes that the experiment is about and the visitor has: id and value as JSON, in the order of the
  /// datafile.
  public let attributes: [Attribute]

  public struct Attribute: Sendable, Equatable {
    public let id: [UInt8]
    public let json: [UInt8]
  }

  public init(_ need: NeededPrediction, context: FrozenContext?, uuid: String) {
    experimentID = Array(need.experimentID)
    userID = context?.targetingKey.map { Array($0) } ?? []
    self.uuid = uuid
    let places = need.base.at(need.rule.pointee.predictionAttributes)
    attributes = (0..<Int(need.rule.pointee.predictionAttributeCount)).compactMap { index in
      let record = need.base.at(places[index])
      guard let attribute = context?.find(record.pointee.key.bytes(need.base), hash: record.pointee.keyHash) else { return nil }
      var writer = JSONWriter()
      writeValue(of: attribute, to: &writer)
      return Attribute(id: Array(record.pointee.id.bytes(need.base)), json: writer.bytes)
    }
  }

  /// Where it is posted to.
  /// - Parameter endpoint: with `%@` where the experiment's id goes; blank for the service's own.
  public func url(endpoint: String = "") -> String { Self.url(of: experimentID, endpoint: endpoint) }

  static func url(of experimentID: [UInt8], endpoint: String) -> String {
    let isBlank = endpoint.utf8.allSatisfy { $0 == 0x20 }
    let format = isBlank ? "https://prediction.cmab.optimizely.com/predict/%@" : endpoint
    guard let place = format.utf8.firstIndex(of: UInt8(ascii: "%"), before: UInt8(ascii: "@")) else { return format }
    return format[..<place] + PercentEncoding.encode(experimentID) + format[format.utf8.index(place, offsetBy: 2)...]
  }

  public var body: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.array("instances") { $0.object { writeInstance(to: &$0) } }
    }
    return writer.bytes
  }

  private func writeInstance(to writer: inout JSONWriter) {
    writer.key("visitorId")
    userID.withUnsafeBufferPointer { writer.string(utf8: $0) }
    writer.key("experimentId")
    experimentID.withUnsafeBufferPointer { writer.string(utf8: $0) }
    writer.array("attributes") { writer in
      for attribute in attributes {
        writer.object { writer in
          writer.key("id")
          attribute.id.withUnsafeBufferPointer { writer.string(utf8: $0) }
          writer.member("value", raw: attribute.json)
          writer.member("type", "custom_attribute")
        }
      }
    }
    writer.member("cmabUUID", uuid)
  }

  /// Equal for equal values of the attributes, in whatever order: a cached answer holds for them only. Local; never
  /// sent or stored.
  public var fingerprint: UInt64 {
    attributes.reduce(0) { sum, attribute in
      sum
        &+ Hash64.combine(
          attribute.id.withBytes { Hash64.hash($0) }, attribute.json.withBytes { Hash64.hash($0) })
    }
  }
}

/// What the prediction server answered.
public enum PredictionAnswer: Sendable, Equatable {
  case variation([UInt8])
  /// To be asked again once, after a tenth of a second.
  case failed
  /// The server answered what cannot be used; asking again would not help.
  case invalid

  /// - Parameter status: of the answer; nil when there was none.
  public init(status: Int?, body: [UInt8]) {
    guard let status, (200..<300).contains(status) else {
      self = .failed
      return
    }
    guard let document = try? JSONDocument(parsing: body) else {
      self = .invalid
      return
    }
    self = document.withRoot { root in
      root["predictions"]?.array?.element(at: 0)?["variation_id"]?.utf8.map { .variation(Array($0)) } ?? .invalid
    }
  }
}

extension String.UTF8View {
  /// Where `first` stands with `second` right after it.
  fileprivate func firstIndex(of first: UInt8, before second: UInt8) -> Index? {
    zip(indices, dropFirst()).first { self[$0.0] == first && $0.1 == second }?.0
  }
}
