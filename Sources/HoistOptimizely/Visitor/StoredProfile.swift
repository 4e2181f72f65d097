/// A user's profile as decisions read it. Immutable.
final class StoredProfile: Sendable {
  let userID: [UInt8]
  /// Nil for a user who has none.
  let json: [UInt8]?
  let assignments: [SubjectContent.Assignment]
  /// What evaluators read; nil when there are no assignments.
  let block: OptimizelySubject?

  init(userID: [UInt8], json: [UInt8]?) {
    self.userID = userID
    self.json = json
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
}
