/// The stored data of a visitor, as one user of the store has seen it.
struct KeptVisitor: Sendable {
  var content: VisitorFacts.Content
  var rest: VisitorRest

  /// A three-way merge (contract 8). Times decide nothing: a change made here wins, and changes by others stay where
  /// there is none here. Pure.
  /// - Parameters:
  ///   - ours: the state here, with parts that are never stored.
  ///   - base: what was stored when it was last read; nil if it never was.
  ///   - theirs: what is stored now.
  static func merge(_ ours: KeptVisitor, base: KeptVisitor?, theirs: KeptVisitor) -> KeptVisitor {
    let changes = base.map { ours.changes(since: $0) } ?? ours
    var merged = changes.laid(over: theirs)
    merged.content.consent = consent(ours, base, theirs)
    for exposure in ours.content.assignments.entries where exposure.isUnsent {
      guard merged.content.assignments[exposure.experimentID]?.variationID == exposure.variationID else { continue }
      merged.content.assignments.setUnsent(true, of: exposure.experimentID)
    }
    merged.keepLimits()
    guard let base else {
      merged.rest.isUnique = merged.rest.isUnique || ours.rest.isUnique
      return merged
    }
    merged.removeGone(ours, base)
    if ours.rest.isUnique != base.rest.isUnique { merged.rest.isUnique = ours.rest.isUnique }
    if ours.rest.mappingIndex != base.rest.mappingIndex { merged.rest.mappingIndex = ours.rest.mappingIndex }
    merged.settleWaiting(ours.rest, base.rest)
    merged.settleVisit(ours, base, theirs)
    return merged
  }

  /// A refusal outweighs an answer given without knowledge of it.
  private static func consent(_ ours: KeptVisitor, _ base: KeptVisitor?, _ theirs: KeptVisitor) -> LegalConsent {
    let (ours, known, theirs) = (ours.content.consent, base?.content.consent ?? .unknown, theirs.content.consent)
    if ours == known { return theirs }
    return theirs == .refused && known != .refused ? .refused : ours
  }

  /// Removes data that waited for the first configuration and was handled here.
  private mutating func settleWaiting(_ ours: VisitorRest, _ base: VisitorRest) {
    rest.aside.removeAll { item in base.aside.contains { $0.isSame(as: item) } && !ours.aside.contains { $0.isSame(as: item) } }
    rest.fetched.removeAll { base.fetched.contains($0) && !ours.fetched.contains($0) }
  }

  /// What is too old here is removed, unless another process has renewed it.
  private mutating func removeGone(_ ours: KeptVisitor, _ base: KeptVisitor) {
    let (own, known) = (ours.content, base.content)
    let indexes = Set(own.customData.map(\.index))
    content.customData.removeAll { !indexes.contains($0.index) && known.customData.contains($0) }
    let pages = Set(own.pages.map(\.url))
    content.pages.removeAll { !pages.contains($0.url) && known.pages.contains($0) }
    let added = max(0, ours.rest.conversionCount - base.rest.conversionCount)
    let gone = max(0, known.conversions.count - own.conversions.count + Int(clamping: added))
    content.conversions.removeFirst(min(gone, content.conversions.count))
    let personalizations = Set(own.personalizations.map(\.id))
    content.personalizations.removeAll { !personalizations.contains($0.id) && known.personalizations.contains($0) }
    content.assignments.removeAll { entry in
      guard own.assignments[entry.experimentID] == nil else { return false }
      return known.assignments[entry.experimentID].map { $0.isSame(as: entry) } ?? false
    }
    if own.device == nil, content.device == known.device { content.device = nil }
    if own.browser == nil, content.browser == known.browser { content.browser = nil }
    if own.operatingSystem == nil, content.operatingSystem == known.operatingSystem { content.operatingSystem = nil }
    if own.geolocation == nil, content.geolocation == known.geolocation { content.geolocation = nil }
    if own.applicationVersion == nil, content.applicationVersion == known.applicationVersion {
      content.applicationVersion = nil
    }
    if own.cookies.isEmpty, content.cookies == known.cookies { content.cookies = [] }
    if ours.rest.userAgent.isEmpty, rest.userAgent == base.rest.userAgent { rest.userAgent = [] }
  }

  private mutating func settleVisit(_ ours: KeptVisitor, _ base: KeptVisitor, _ theirs: KeptVisitor) {
    let isOurs = !ours.isInVisit(of: base)
    let isTheirs = !theirs.isInVisit(of: base)
    // Of two that begin a visit at once, the other one came first.
    guard isOurs, !isTheirs || ours.visitNumber > theirs.visitNumber else { return }
    content.visitStart = ours.content.visitStart
    content.visits = ours.content.visits
    rest.hasRemoteHistory = ours.rest.hasRemoteHistory
  }

  private var visitNumber: Int64 { content.visits?.number ?? 0 }

  private func isInVisit(of other: KeptVisitor) -> Bool {
    content.visitStart == other.content.visitStart && content.visits == other.content.visits
  }

  /// What has changed, on top of what is stored.
  func laid(over stored: KeptVisitor) -> KeptVisitor {
    var draft = VisitorDraft(content)
    draft.rest = rest
    draft.layOver(stored.content, stored.rest)
    draft.content.lastEvent = max(content.lastEvent, stored.content.lastEvent)
    return KeptVisitor(content: draft.content, rest: draft.rest)
  }

  mutating func keepLimits() {
    content.assignments.keepNewest(VisitorLimits.assignments)
    content.conversions.removeFirst(max(0, content.conversions.count - VisitorLimits.conversions))
    rest.aside.removeFirst(max(0, rest.aside.count - VisitorLimits.aside))
  }
}

extension KeptVisitor {
  /// Whether it says more of the visitor than what has an age: an answer about consent, which a service's expiry of data does not
  /// take back, or with whom it is linked.
  var isLasting: Bool {
    content.consent != .unknown || content.mappingIdentifier != nil || rest.mappingIndex != nil || rest.isUnique
  }
}

extension KeptVisitor {
  /// The changes, where they are conversions alone, which may be laid over whatever others have stored: with all else the whole
  /// is written, and what others have stored is heard. What is too old here needs no word: it is to every reader.
  func additions(since base: KeptVisitor) -> KeptVisitor? {
    guard content.code == base.content.code, content.mappingIdentifier == base.content.mappingIdentifier,
      content.consent == base.content.consent, rest.isUnique == base.rest.isUnique, isInVisit(of: base),
      rest.mappingIndex == base.rest.mappingIndex, rest.hasRemoteHistory == base.rest.hasRemoteHistory,
      rest.aside.count >= base.rest.aside.count, rest.fetched.count >= base.rest.fetched.count
    else { return nil }
    var changes = changes(since: base)
    guard changes.hasConversionsAlone else { return nil }
    (changes.content.consent, changes.content.visits) = (.unknown, nil)
    return changes
  }

  private var hasConversionsAlone: Bool {
    content.customData.isEmpty && content.pages.isEmpty && content.personalizations.isEmpty && content.cookies.isEmpty
      && content.assignments.entries.isEmpty && content.device == nil && content.browser == nil
      && content.operatingSystem == nil && content.geolocation == nil && content.applicationVersion == nil
      && rest.segments.isEmpty && rest.aside.isEmpty && rest.fetched.isEmpty && rest.userAgent.isEmpty
  }

  /// All differences, in the same members; for numbers, the increments.
  fileprivate func changes(since base: KeptVisitor) -> KeptVisitor {
    var changes = self
    let former = base.content
    let data = Dictionary(former.customData.map { ($0.index, $0) }) { $1 }
    changes.content.customData.removeAll { data[$0.index] == $0 }
    changes.removeSingle(asIn: base)
    changes.content.pages = newViews(since: former.pages)
    let goals = max(0, rest.conversionCount - base.rest.conversionCount)
    changes.rest.conversionCount = goals
    changes.content.conversions = Array(content.conversions.suffix(Int(clamping: goals)))
    changes.content.personalizations.removeAll { former.personalizations.contains($0) }
    changes.content.assignments.removeAll { assignment in
      former.assignments[assignment.experimentID].map { $0.isSame(as: assignment) } ?? false
    }
    let segments = Set(base.rest.segments)
    changes.rest.segments.removeAll { segments.contains($0) }
    changes.rest.aside.removeAll { item in base.rest.aside.contains { $0.isSame(as: item) } }
    changes.rest.fetched.removeAll { base.rest.fetched.contains($0) }
    return changes
  }

  private func newViews(since former: [PageVisit]) -> [PageVisit] {
    let known = Dictionary(former.map { ($0.url, $0) }) { $1 }
    return content.pages.compactMap { page in
      guard let before = known[page.url] else { return page }
      if before == page { return nil }
      var views = page
      views.count = page.count > before.count ? page.count - before.count : page.count
      return views
    }
  }

  private mutating func removeSingle(asIn base: KeptVisitor) {
    let (former, times) = (base.content, base.rest.times)
    if content.device == former.device, rest.times.device == times.device { content.device = nil }
    if content.browser == former.browser, rest.times.browser == times.browser { content.browser = nil }
    if content.operatingSystem == former.operatingSystem, rest.times.operatingSystem == times.operatingSystem {
      content.operatingSystem = nil
    }
    if content.geolocation == former.geolocation, rest.times.geolocation == times.geolocation { content.geolocation = nil }
    if content.applicationVersion == former.applicationVersion, rest.times.applicationVersion == times.applicationVersion {
      content.applicationVersion = nil
    }
    if rest.times.cookies == times.cookies { content.cookies = [] }
    if rest.userAgent == base.rest.userAgent, rest.times.userAgent == times.userAgent { rest.userAgent = [] }
  }
}

extension Assignment {
  /// But for whether an exposure waits, which is this process's to know.
  fileprivate func isSame(as other: Assignment) -> Bool {
    variationID == other.variationID && rule == other.rule && time == other.time
  }
}

extension DatumAside {
  fileprivate func isSame(as other: DatumAside) -> Bool {
    time == other.time && code == other.code && isTracked == other.isTracked && datum.json == other.datum.json
  }
}
