internal import HoistBase

/// A visitor's state while it is changed, and the consequences of a change. Used with the visitor's lock held. A copy would
/// copy every list in it.
struct VisitorDraft: ~Copyable {
  var content: VisitorFacts.Content
  var rest = VisitorRest()
  /// Of the visitor that the change is made for; linked ones share their data.
  private(set) var code: [UInt8] = []
  private var environment = VisitorEnvironment()
  /// When the pages of this change were seen; nil before the first one.
  private var momentOfPages: Int64?

  /// What follows from the change.
  var change = VisitorChange()

  init(_ content: VisitorFacts.Content) { self.content = content }

  /// A change for the visitor of that code begins.
  mutating func begin(_ code: [UInt8], _ environment: VisitorEnvironment) {
    self.code = code
    self.environment = environment
    momentOfPages = nil
  }

  /// Milliseconds of Unix time.
  var now: Int64 { environment.now }
  /// nil before the first configuration.
  var definitions: CustomDataDefinitions? { environment.definitions }
  /// Faults of the vendor's SDK are reproduced (section 7).
  var isStrict: Bool { environment.isStrict }

  /// When a page is seen that is told at `time`. Of pages told one after the other the last is the current one, also within one
  /// tick of the clock (contract 9); those of one call are of one moment (3.12).
  mutating func momentOfPage(toldAt time: Int64) -> Int64 {
    if isStrict { return time }
    if let momentOfPages { return momentOfPages }
    let known = max(content.pages.lazy.map(\.lastTime).max() ?? .min, rest.aside.lazy.filter(\.isPage).map(\.time).max() ?? .min)
    // Where the clock was set back by more, what it showed before is not believed.
    let moment = known >= time && known &- time < TimeStamps.furthestAhead ? known &+ 1 : time
    momentOfPages = moment
    return moment
  }

  /// The change is over.
  mutating func end() -> VisitorChange {
    var ended = VisitorChange()
    swap(&change, &ended)
    if ended.tracked.isEmpty { return ended }
    ended.hasConsent = content.consent == .given || !environment.requiresConsent
    ended.identity = TrackingIdentity(
      subject: content.code, code: code, isMappingValue: environment.isUnique && content.mappingIdentifier != code,
      userAgent: rest.userAgent)
    return ended
  }

  /// The first configuration has come.
  mutating func addAside() {
    guard let definitions else { return }
    trackFetched()
    let (waiting, own) = (rest.aside, code)
    rest.aside = []
    for item in waiting {
      code = item.code
      take(item.datum, definitions, isTracked: item.isTracked, time: item.time)
    }
    code = own
  }

  mutating func track(_ kind: TrackedDatum.Kind, key: [UInt8]? = [], place: Int = 0, _ content: TrackedDatum.Content) {
    change.tracked.append(TrackedDatum(kind: kind, key: key, place: Int64(place), content: content))
  }

  /// The same, or nothing is sent of what was there before.
  mutating func track(
    _ kind: TrackedDatum.Kind, key: [UInt8] = [], place: Int = 0, _ content: TrackedDatum.Content, if isTracked: Bool,
    replacing isReplacement: Bool
  ) {
    if isTracked {
      track(kind, key: key, place: place, content)
    } else if isReplacement {
      track(kind, key: key, place: place, .withdrawn)
    }
  }
}

/// Time passes (KAM-03, KAM-B29).
extension VisitorDraft {
  /// Something happens to the visitor.
  /// - Parameter limit: how old data may be, in milliseconds; nil for any age.
  mutating func begin(expiringAfter limit: Int64?) {
    expire(after: limit)
    noteEvent()
  }

  /// - Parameter limit: likewise.
  mutating func expire(after limit: Int64?) { if let limit { expire(before: now &- limit) } }

  /// Something happens: a visit that has lain idle is over.
  mutating func noteEvent() {
    if now &- content.lastEvent >= VisitorLimits.visitIdleMilliseconds { beginVisit() }
    content.lastEvent = max(content.lastEvent, now)
  }

  private mutating func beginVisit() {
    var history = content.visits ?? VisitHistory(previous: [], number: 0)
    history.previous.insert(VisitHistory.Visit(start: content.visitStart, lastEvent: content.lastEvent), at: 0)
    history.previous = Array(history.previous.prefix(VisitorLimits.visits))
    history.number = max(history.number &+ 1, Int64(history.previous.count))
    content.visits = history
    rest.hasRemoteHistory = false
    content.visitStart = now
    content.lastEvent = now
    trackVisits()
  }

  mutating func trackVisits() {
    guard let history = content.visits else { return }
    let previous = history.previous.first { $0.lastEvent < content.visitStart }
    let gap = previous.map { content.visitStart &- $0.lastEvent } ?? 0
    track(.visits, .visits(number: history.number, sincePrevious: gap))
  }
}

/// Assignments (KAM-29; protocols/kameleoon.md 3.9).
extension VisitorDraft {
  /// A variation was decided on. An exposure that waits stays where variation and experiment are the same (A8).
  mutating func assign(_ experimentID: Int64, _ variationID: Int64, _ rule: RuleType, isTracked: Bool) {
    let former = content.assignments[experimentID]
    let isSame = former?.variationID == variationID
    let waits = former?.isUnsent ?? false
    let staysUnsent = isSame && waits && !isStrict
    let assignment = Assignment(
      experimentID: experimentID, variationID: variationID, rule: rule, isUnsent: isTracked || staysUnsent, time: now)
    content.assignments.set(assignment)
    content.assignments.keepNewest(VisitorLimits.assignments)
    if isSame && waits && assignment.isUnsent { return }
    let place = content.assignments.place(of: experimentID) ?? 0
    track(
      .assignment, key: Self.key(experimentID), place: place, .assignment(assignment), if: isTracked, replacing: waits)
  }

  /// KAM-B12: these segments matched.
  mutating func target(_ segments: [Int64]) {
    for segment in segments {
      let place = rest.segments.firstIndex(of: segment) ?? rest.segments.count
      if place == rest.segments.count { rest.segments.append(segment) }
      track(.segment, key: Self.key(segment), place: place, .segment(segment))
    }
  }

  static func key(_ id: Int64) -> [UInt8] { Array(String(id).utf8) }
}
