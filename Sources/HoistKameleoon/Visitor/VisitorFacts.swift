internal import Synchronization

/// Everything a decision reads of a visitor, at one moment. Immutable; any thread.
final class VisitorFacts: Sendable {
  /// Times are milliseconds of Unix time. Texts are UTF-8.
  struct Content: Sendable {
    /// The visitor's own code.
    var code: [UInt8]
    /// The code that linked visitors are decided by; never empty (KAM-67).
    var mappingIdentifier: [UInt8]?
    var consent = LegalConsent.unknown
    /// One of an index, in the order in which they first came.
    var customData: [CustomDatum] = []
    var device: Device?
    var browser: Browser?
    var operatingSystem: OperatingSystem?
    var geolocation: Geolocation?
    /// nil for none.
    var applicationVersion: [UInt8]?
    /// One of a URL, in the order in which they were first seen.
    var pages: [PageVisit] = []
    var cookies: [Cookie] = []
    /// In the order in which they came.
    var conversions: [GoalReached] = []
    /// One of an id.
    var personalizations: [PersonalizationSeen] = []
    /// When the current visit began.
    var visitStart: Int64
    /// When something happened last; see `VisitorLimits`.
    var lastEvent: Int64
    /// nil when there was no visit before.
    var visits: VisitHistory?
    /// KAM-52
    var keyMomentScores: [KeyMomentScore] = []
    /// KAM-B06
    var banditScores: [BanditScore] = []
    /// One of an experiment (KAM-B01).
    var forced: [ForcedVariation] = []
    /// One of a flag (KAM-B27).
    var simulated: [SimulatedVariation] = []
    var assignments = AssignmentTable()

    init(code: [UInt8], visitStart: Int64) {
      self.code = code
      self.visitStart = visitStart
      lastEvent = visitStart
    }
  }

  let content: Content
  private let isOver = Atomic<Bool>(false)

  init(_ content: consuming Content) { self.content = content }

  /// Outdated by a change: the next decision makes a new snapshot.
  var areOutdated: Bool { isOver.load(ordering: .acquiring) }

  func outdate() { isOver.store(true, ordering: .releasing) }
}

/// What a visitor has answered (KAM-60; protocols/kameleoon.md 3.8).
public enum LegalConsent: Int32, Sendable {
  /// Never set.
  case unknown = 0
  case given, refused
}

struct CustomDatum: Sendable, Equatable {
  var index: Int64
  var values: [[UInt8]]
  var overwrites = true
  /// When it was set last.
  var time: Int64
}

/// Views of one page.
struct PageVisit: Sendable, Equatable {
  var url: [UInt8]
  /// Of the last view; nil for none.
  var title: [UInt8]?
  var lastTime: Int64
  var count: Int64
}

struct GoalReached: Sendable, Equatable {
  var goalID: Int64
  var time: Int64
}

struct PersonalizationSeen: Sendable, Equatable {
  var id: Int64
  var variationID: Int64
  var time: Int64
}

/// Visits before the current one (KAM-B29). Never empty.
struct VisitHistory: Sendable, Equatable {
  struct Visit: Sendable, Equatable {
    var start: Int64
    var lastEvent: Int64
  }

  /// Newest first.
  var previous: [Visit]
  /// How many visits came before the current one; more than those that are known, or as many.
  var number: Int64

  /// - Parameter believe: mends a time that cannot be.
  mutating func believe(_ believe: (inout Int64) -> Void) {
    for index in previous.indices {
      believe(&previous[index].start)
      believe(&previous[index].lastEvent)
    }
  }
}

/// A Kameleoon Conversion Score: `{"kcs": {keyMoment: {goal: score}}}`.
struct KeyMomentScore: Sendable, Equatable {
  var keyMomentID: Int64
  var goalID: Int64
  var score: Double
}

/// A contextual bandit's score: `{"cbs": {experiment: {variation: score}}}`.
struct BanditScore: Sendable, Equatable {
  var experimentID: Int64
  var variationID: Int64
  var score: Double
}

struct ForcedVariation: Sendable, Equatable {
  var experimentID: Int64
  var variationKey: [UInt8]
  /// Whether it holds where the rule's segment does not match.
  var forcesTargeting: Bool
}

/// As the cookie of web SDKs has it (protocols/kameleoon.md 3.7).
struct SimulatedVariation: Sendable, Equatable {
  var featureKey: [UInt8]
  /// 0: the flag's default variation.
  var experimentID: Int64
  var variationID: Int64
}
