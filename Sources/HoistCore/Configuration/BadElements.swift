public import HoistBase

/// What was left out of a document, said to the host: the first ones by name, the rest by number.
public struct BadElements {
  private static let toldByName = 20

  private let log: Log?
  private let document: StaticString
  private var count = 0

  /// - Parameters:
  ///   - document: what it is about, e.g. "the bucketing file".
  ///   - log: nil for none.
  public init(_ document: StaticString, _ log: Log?) {
    self.document = document
    self.log = log
  }

  public mutating func note(_ place: String, _ problem: String) {
    count += 1
    if count <= Self.toldByName { log?.warning("\(document): \(place): \(problem)") }
  }

  /// Once all is read.
  public func finish() {
    if count > Self.toldByName { log?.warning("\(document): \(count - Self.toldByName) further elements have faults") }
  }
}

/// Where in a document an element is, in words: put together only when there is something to say of it.
public struct ElementPlace {
  private enum Step {
    case name(StaticString, ByteView)
    case index(StaticString, Int)
  }

  private var steps: [Step] = []

  public init() {}

  /// - Parameter id: of the element; without bytes its index is used.
  public func inside(_ what: StaticString, _ id: ByteView, _ index: Int) -> ElementPlace {
    var place = self
    place.steps.append(id.isEmpty ? .index(what, index) : .name(what, id))
    return place
  }

  public var text: String {
    steps.map { step in
      switch step {
      case .name(let what, let id): "\(what) \"\(String(decoding: id.view(from: 0, to: 64), as: UTF8.self))\""
      case .index(let what, let index): "\(what) \(index)"
      }
    }.joined(separator: ", ")
  }
}
