internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// The stored record of a visitor, in the vendor's form (protocols/flagship.md 6.1; FS-100, FS-102, FS-103).
struct CachedVisitor: Sendable, Equatable {
  /// The form that is written, and the only one that is read.
  static let version: Int64 = 1

  var visitorID: [UInt8]
  var anonymousID: [UInt8]?
  var hasConsented: Bool
  /// A JSON object. Never merged into a visitor.
  var context: [UInt8]
  /// A JSON array.
  var campaigns: [UInt8]
  var assignments: [Assignment]

  /// A variation that the visitor got, by variation group.
  struct Assignment: Sendable, Equatable {
    var groupID: [UInt8]
    var variationID: [UInt8]
  }

  /// Why a record is not used.
  enum Failure: Error, Sendable, Equatable {
    case unreadable
    case foreignVersion
    /// It is another visitor's.
    case foreignVisitor

    var message: String {
      switch self {
      case .unreadable: "a cached visitor is no JSON object of the form that is kept; it is not used"
      case .foreignVersion: "a cached visitor has another version than \(CachedVisitor.version); it is not used"
      case .foreignVisitor: "a cached visitor is another one than was looked up; it is not used"
      }
    }
  }
}

extension CachedVisitor {
  /// Compact JSON.
  var json: [UInt8] {
    var writer = JSONWriter(reservingCapacity: context.count + campaigns.count + assignments.count * 48 + 128)
    writer.object { writer in
      writer.key("version")
      writer.int(Self.version)
      writer.key("data")
      writer.object { writer in
        writer.key("visitorId")
        writer.text(visitorID)
        writer.key("anonymousId")
        anonymousID.map { writer.text($0) } ?? writer.null()
        writer.key("consent")
        writer.bool(hasConsented)
        writer.key("context")
        writer.raw(context)
        writer.key("campaigns")
        writer.raw(campaigns)
        writer.key("assignationHistory")
        writer.object { writer in
          for assignment in assignments {
            assignment.groupID.withUnsafeBufferPointer { writer.key(utf8: $0) }
            writer.text(assignment.variationID)
          }
        }
      }
    }
    return writer.bytes
  }

  /// Reads what this SDK or another one of the vendor's has kept. Whatever is missing is empty.
  /// - Parameter wanted: the visitor that was looked up; nil accepts any.
  init(json: [UInt8], of wanted: [UInt8]?) throws(Failure) {
    guard let document = try? JSONDocument(parsing: json) else { throw .unreadable }
    self = try document.withRoot { root throws(Failure) in try CachedVisitor(root, of: wanted) }
  }

  private init(_ root: JSONValue, of wanted: [UInt8]?) throws(Failure) {
    guard root.object != nil else { throw .unreadable }
    guard let version = root["version"]?.double, version == Double(Self.version) else { throw .foreignVersion }
    guard let data = root["data"], data.object != nil else { throw .unreadable }
    let id = data["visitorId"]?.utf8.map { Array($0) }
    if let wanted, let id, id != wanted { throw .foreignVisitor }
    visitorID = id ?? wanted ?? []
    anonymousID = data["anonymousId"]?.utf8.map { Array($0) }
    hasConsented = data["consent"]?.bool ?? false
    context = Self.text(of: data["context"].flatMap { $0.object == nil ? nil : $0 }, otherwise: "{}")
    campaigns = Self.text(of: data["campaigns"].flatMap { $0.array == nil ? nil : $0 }, otherwise: "[]")
    assignments = Self.assignments(of: data)
  }

  /// Both of the vendor's names for the map; of a group that is in both, the first counts.
  private static func assignments(of data: JSONValue) -> [Assignment] {
    var found: [Assignment] = []
    var groups: Set<[UInt8]> = []
    for map in [data["assignationHistory"], data["assignmentsHistory"]] {
      guard let members = map?.object else { continue }
      for (group, variation) in members {
        guard let id = variation.utf8, !id.isEmpty else { continue }
        let group = Array(group.utf8)
        if groups.insert(group).inserted { found.append(Assignment(groupID: group, variationID: Array(id))) }
      }
    }
    return found
  }

  private static func text(of value: JSONValue?, otherwise empty: StaticString) -> [UInt8] {
    value.flatMap { try? $0.text(wholeDoubles: .withFraction) } ?? empty.withBytes { Array($0) }
  }
}

/// In the client's own store, which others may use too (contract 8).
extension CachedVisitor {
  private static let refusalText = #"{"version":1,"refused":true}"#

  /// Stored in place of a record, so that other clients see it; nothing else of the visitor is stored.
  static var refusal: [UInt8] { Array(refusalText.utf8) }

  static func isRefusal(_ kept: [UInt8]?) -> Bool { kept.map { $0.elementsEqual(refusalText.utf8) } ?? false }

  /// The record to store: the decisions made here, with assignments that only others have made.
  static func merge(_ new: [UInt8], into kept: [UInt8]?) -> [UInt8] {
    guard let kept, new != kept else { return new }
    guard var ours = try? CachedVisitor(json: new, of: nil),
      let theirs = try? CachedVisitor(json: kept, of: ours.visitorID)
    else { return new }
    let groups = Set(ours.assignments.map(\.groupID))
    let others = theirs.assignments.filter { !groups.contains($0.groupID) }
    if others.isEmpty { return new }
    ours.assignments += others
    return ours.json
  }
}

extension JSONWriter {
  mutating func text(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { string(utf8: $0) } }
}
