internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// What the Decision API is asked (3.2): the campaigns of one visitor.
struct DecisionRequest: Sendable {
  var visitorID: [UInt8]
  /// nil for none.
  var anonymousID: [UInt8]?
  var hasConsented: Bool
  /// A JSON object of scalars, predefined and `fs_*` pairs included.
  var contextJSON: [UInt8]

  /// The body. A server of one's own refuses what it does not know: no other keys.
  /// - Parameter decisionGroup: visitors of a group get the hash of the group (FS-214); "" for none.
  func body(decisionGroup: String) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: contextJSON.count + 160)
    writer.object { writer in
      writer.key("visitorId")
      visitorID.withUnsafeBufferPointer { writer.string(utf8: $0) }
      writer.key("anonymousId")
      if let anonymousID { anonymousID.withUnsafeBufferPointer { writer.string(utf8: $0) } } else { writer.null() }
      writer.key("visitor_consent")
      writer.bool(hasConsented)
      // With true the server would count an exposure of every flag.
      writer.key("trigger_hit")
      writer.bool(false)
      if !decisionGroup.isEmpty {
        writer.key("decision_group")
        writer.string(decisionGroup)
      }
      writer.key("context")
      writer.raw(contextJSON)
    }
    return writer.bytes
  }
}

/// What the Decision API answered.
struct DecisionAnswer: Sendable {
  /// The body, which is a JSON object.
  let bytes: [UInt8]
  let isPanic: Bool
  let account: AccountSettings?

  /// Whatever is missing is false or empty (3.2).
  init(_ body: [UInt8]) throws(Flaw) {
    let head = try? body.withUnsafeBytes { text throws(JSONFailure) in try JSONNode.parse(text) { Head($0) } }
    guard let head, head.isObject else { throw Flaw(message: "the answer is not a JSON object") }
    // In panic there is nothing to be read.
    guard head.hasSoundCampaigns || head.isPanic else { throw Flaw(message: "the answer's campaigns are no array") }
    bytes = body
    isPanic = head.isPanic
    account = head.account
  }

  /// Why a body is no answer, for people.
  struct Flaw: Error { let message: String }

  private struct Head {
    let isObject: Bool
    let isPanic: Bool
    let hasSoundCampaigns: Bool
    let account: AccountSettings?

    init(_ root: JSONNode) {
      isObject = root.object != nil
      isPanic = root["panic"]?.bool ?? false
      hasSoundCampaigns = root["campaigns"]?.unlessNull.map { $0.array != nil } ?? true
      let settings = root["extras"]?["accountSettings"]
      account = settings?.object == nil ? nil : AccountSettings(settings)
    }
  }
}
