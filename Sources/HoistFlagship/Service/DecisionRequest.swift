internal import HoistCore

/// What the Decision API is asked (3.2): the campaigns of one visitor.
struct DecisionRequest: Sendable {
  var visitorID: [UInt8]
  /// nil for none.
  var anonymousID: [UInt8]?
  var hasConsented: Bool
  /// A JSON object of scalars, predefined and `fs_*` pairs included.
  var contextJSON: [UInt8]
}

/// What the Decision API answered.
struct DecisionAnswer: Sendable {
  /// The body, which is JSON.
  var bytes: [UInt8]
  var isPanic: Bool
}

/// Why there are no decisions.
struct DecisionFailure: Error, Sendable, Equatable {
  var status: Status
  /// One line for people, without keys.
  var message: String
}
