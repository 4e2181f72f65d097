internal import HoistBase

/// What of a visitor's data is in the store. Guarded by the lock of the data.
struct KeptState: Sendable {
  /// What a record was made of that is being written.
  struct Merge: Sendable {
    /// As it was then.
    var ours: KeptVisitor
    /// nil where nothing is written.
    var result: KeptVisitor?
    var hash: UInt64?
    /// Of the whole record; nil for what is put behind it.
    var head: [UInt8]?
    var bytes = 0
    /// Whether others have changed it.
    var isChanged = false
    /// The visitor that it was linked with by another client or process.
    var owner: [UInt8]?
  }

  /// What was stored when it was last looked at; nil where it never was.
  var base: KeptVisitor?
  /// Of the record that was written last; nil when something was put behind it.
  var hash: UInt64?
  /// How that begins, its bytes, and those that were put behind it since.
  var head: [UInt8]?
  var wholeBytes = 0
  var addedBytes = 0
  /// Whether a link stored in its place is out of date.
  var takesPlace = false
  var merge: Merge?
  var news: KeptNews?
  private var generation = ForkGeneration.current

  /// A record is written anew when what was put behind it has outgrown it: so each byte is written twice or so in the end. A
  /// small one is not worth it.
  private static var leastBytes: Int { 4_096 }
  var hasRoom: Bool { addedBytes < max(wholeBytes, Self.leastBytes) }

  /// What the last merge has made is stored.
  mutating func took(_ merge: Merge, _ result: KeptVisitor) {
    (base, hash, takesPlace) = (result, merge.hash, false)
    if merge.head != nil { (head, wholeBytes, addedBytes) = (merge.head, merge.bytes, 0) } else { addedBytes += merge.bytes }
  }

  init(takesPlace: Bool = false) { self.takesPlace = takesPlace }

  /// In a forked child: the parent writes what is not written yet.
  mutating func leaveToParent(_ draft: borrowing VisitorDraft) {
    guard generation != ForkGeneration.current else { return }
    self = KeptState(takesPlace: takesPlace)
    base = KeptVisitor(content: draft.content, rest: draft.rest)
  }
}

/// Changes of a visitor's stored record by other clients and processes.
struct KeptNews: Sendable {
  var isConsentChanged = false
  /// The visitor code that it is stored under from now on; nil: as before.
  var owner: [UInt8]?
}
