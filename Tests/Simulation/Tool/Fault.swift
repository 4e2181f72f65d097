/// What a simulation can be made to do wrong, so that it can be seen that each of its promises would be found broken.
enum Fault: String, CaseIterable {
  /// The store says that it has written a row that it has not.
  case dropsLastWrite
  /// A record is acknowledged before it is in the journal, and never is.
  case acknowledgesUnwritten
  /// Rows of a process that lives are given to another.
  case takesFromTheLiving
  /// Rows that a process leaves to others stay its own.
  case keepsWhatIsLeft
  /// What the service has accepted is sent again.
  case sendsAcceptedAgain
  /// An answer that came too late is served over a newer one.
  case servesLateAnswers
  /// The client is told of a success where the service has failed.
  case hidesFailures
  /// An exchange without an answer never ends.
  case waitsForEver

  /// It can be seen only where some processes leave their events to others.
  var needsForwarding: Bool { self == .keepsWhatIsLeft }

  /// The promise that it breaks.
  var breaks: Promise {
    switch self {
    case .dropsLastWrite, .acknowledgesUnwritten, .keepsWhatIsLeft: .nothingAcknowledgedIsLost
    case .takesFromTheLiving: .oneProcessSends
    case .sendsAcceptedAgain: .nothingIsAcceptedTwice
    case .servesLateAnswers: .nothingOlderIsServed
    case .hidesFailures: .statesAreTrue
    case .waitsForEver: .waitsEnd
    }
  }
}

/// What is looked at after each step, and at the end, when everything works again.
enum Promise: String {
  case nothingAcknowledgedIsLost = "nothing acknowledged is lost"
  case oneProcessSends = "no two living processes send a record at once"
  case nothingIsAcceptedTwice = "nothing is accepted twice by a service whose answer came"
  case nothingOlderIsServed = "no older configuration takes the place of a newer one"
  case statesAreTrue = "states are as the contract says"
  case waitsEnd = "every wait ends within its limit"
}

struct Broken: Error {
  var promise: Promise
  var detail: String
}
