import HoistBase
import HoistCore
import HoistTestSupport

@testable import HoistFlagship

/// Campaigns of a document, decided for one visitor, and what was said of the document.
struct Decided {
  let flags: VisitorFlags
  let history: AssignmentHistory
  let lines: [String]
  let account: String?

  enum Document { case bucketing, decision }

  init(
    _ text: String, _ document: Document = .bucketing, visitor: String = "visitor_1",
    context: [(String, AttributeValue)] = [], history: AssignmentHistory = .empty, widensIntegers: Bool = false
  ) throws {
    let sink = RecordingLogSink()
    let log = Log(threshold: .warning, clock: ManualScheduler()) { sink.write($0, $1) }
    let options = CampaignOptions(widensIntegers: widensIntegers, log: log)
    let served = try document == .bucketing ? BucketingReader.read(text, options) : DecisionReader.read(text, options)
    let attributes = context.map { Attribute(name: Array($0.0.utf8), value: $0.1) }
    let subject = EvaluationContext(targetingKey: Array(visitor.utf8), attributes: attributes).reference()
    (flags, self.history) = withExtendedLifetime(subject) {
      visitor.withBytes {
        VisitorFlags.decide(owning: served.snapshot, context: subject?.frozen, visitor: $0, history: history) ?? (.none, history)
      }
    }
    account = served.account.map { String(decoding: $0, as: UTF8.self) }
    lines = sink.lines.map(\.message)
  }

  /// `key=json` in the order of the flags.
  var values: [String] {
    (0..<flags.count).compactMap { flags.value(at: $0) }.map { "\(text($0.key))=\(text($0.json))" }
  }

  func value(_ key: String) -> FlagValue? { key.withBytes { flags.find($0) } }
  func json(_ key: String) -> String? { value(key).map { text($0.json) } }

  private func text(_ bytes: ByteView) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// Bucketing files put together from parts.
enum BucketingText {
  static func file(_ campaigns: String...) -> String { #"{"campaigns":[\#(campaigns.joined(separator: ","))]}"# }

  static func campaign(_ id: String, _ groups: String...) -> String {
    #"{"id":"\#(id)","name":"\#(id) name","type":"ab","slug":"\#(id)-slug","variationGroups":[\#(groups.joined(separator: ","))]}"#
  }

  /// - Parameter targetings: of one targeting group.
  static func group(_ id: String, _ targetings: String = "", _ variations: String...) -> String {
    #"{"id":"\#(id)","name":"\#(id) name","targeting":{"targetingGroups":[{"targetings":[\#(targetings)]}]},"variations":[\#(variations.joined(separator: ","))]}"#
  }

  static func variation(_ id: String, _ allocation: String, _ values: String) -> String {
    #"{"id":"\#(id)","name":"\#(id) name","reference":true,"allocation":\#(allocation),"modifications":{"type":"JSON","value":\#(values)}}"#
  }

  /// A file in which the flag `f` is there when the targetings hold.
  static func targeted(_ targetings: String) -> String {
    file(campaign("c", group("g", targetings, variation("v", "100", #"{"f":1}"#))))
  }
}
