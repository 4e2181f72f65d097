/// A user's profile as decisions read it. Immutable.
final class StoredProfile: Sendable {
  let userID: [UInt8]
  /// Nil for a user who has none.
  let json: [UInt8]?
  let assignments: [SubjectContent.Assignment]
  /// What evaluators read; nil when there are no assignments.
  let block: OptimizelySubject?

  /// Whether anything may be kept in its place: not of one that could not be looked up.
  let mayBeReplaced: Bool

  init(userID: [UInt8], json: [UInt8]?, mayBeReplaced: Bool = true) {
    self.userID = userID
    self.json = json
    self.mayBeReplaced = mayBeReplaced
    var content = SubjectContent()
    if let json { content.assignments = UserProfile(userID: userID, json: json).assignments }
    assignments = content.assignments
    block = content.assignments.isEmpty ? nil : OptimizelySubject(content)
  }

  /// The profile with new assignments; nil when nothing changes.
  func adding(_ new: [SubjectContent.Assignment]) -> [UInt8]? {
    let news = new.filter { !assignments.contains($0) }
    return news.isEmpty ? nil : UserProfile(userID: userID, json: json).adding(news)
  }

  /// Assignments that an earlier one does not have.
  func news(since earlier: StoredProfile) -> [SubjectContent.Assignment] {
    assignments.filter { !earlier.assignments.contains($0) }
  }
}
