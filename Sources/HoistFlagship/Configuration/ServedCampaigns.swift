public import HoistBase
public import HoistCore
public import HoistJSON

/// Why a document of campaigns is refused. The campaigns in use stay.
public struct CampaignFailure: Error, Sendable, Equatable {
  /// One line.
  public let message: String

  /// Rules that cost more than an evaluation may.
  static let tooCostly = CampaignFailure(
    message: "flags cannot be fetched: the targeting of the campaigns is too costly to evaluate")
}

/// How documents are read.
public struct CampaignOptions: Sendable {
  /// An integer may be read as a double.
  public var widensIntegers: Bool
  public var limits: JSONLimits
  /// Receives warnings about bad elements.
  public var log: Log?
  /// Completes contexts of one call; nil where there are none.
  var automatic: AutomaticContext?

  public init(widensIntegers: Bool = false, limits: JSONLimits = .standard, log: Log? = nil) {
    self.widensIntegers = widensIntegers
    self.limits = limits
    self.log = log
  }
}

/// A document of campaigns, compiled.
public struct ServedCampaigns: Sendable {
  /// Belongs to the receiver: to be published, given to `VisitorFlags.decide(owning:)`, or destroyed.
  public let snapshot: Snapshot
  public let isPanic: Bool
  /// Whether there is a list of campaigns, be it empty.
  public let hasCampaigns: Bool
  /// The object `accountSettings`, as JSON; nil where there is none.
  public let account: [UInt8]?
}

/// The file of all campaigns (3.3).
public enum BucketingReader {
  /// - Parameter text: borrowed for the call.
  public static func read(
    _ text: some ByteSource, _ options: CampaignOptions = CampaignOptions()
  ) throws(CampaignFailure) -> ServedCampaigns {
    try CampaignDocument.read(text, isDecided: false, "the bucketing file", options)
  }
}

/// The Decision API's answer for one visitor (3.2).
public enum DecisionReader {
  /// - Parameter text: borrowed for the call.
  public static func read(
    _ text: some ByteSource, _ options: CampaignOptions = CampaignOptions()
  ) throws(CampaignFailure) -> ServedCampaigns {
    try CampaignDocument.read(text, isDecided: true, "the Decision API's answer", options)
  }
}

/// Reads either document from front to end, one campaign's values at a time.
private struct CampaignDocument: ~Copyable {
  private var json: JSONReader
  private var reading: CampaignReading
  private var compiler: CampaignCompiler
  private let isDecided: Bool
  private var isPanic = false
  private var hasCampaigns = false
  private var account: [UInt8]?

  static func read(
    _ text: some ByteSource, isDecided: Bool, _ name: StaticString, _ options: CampaignOptions
  ) throws(CampaignFailure) -> ServedCampaigns {
    try text.withBytes { text in
      Result { () throws(CampaignFailure) in
        do throws(JSONFailure) {
          var document = try CampaignDocument(text, isDecided: isDecided, name, options)
          return try document.read()
        } catch {
          throw CampaignFailure(message: "\(name) cannot be used: \(error)")
        }
      }
    }.get()
  }

  private init(
    _ text: ByteView, isDecided: Bool, _ name: StaticString, _ options: CampaignOptions
  ) throws(JSONFailure) {
    json = try JSONReader(text, limits: options.limits)
    reading = CampaignReading(name, options.log)
    compiler = CampaignCompiler(
      isDecided: isDecided, widensIntegers: options.widensIntegers, automatic: isDecided ? nil : options.automatic,
      expectedBytes: text.count &* 2)
    self.isDecided = isDecided
  }

  private mutating func read() throws(JSONFailure) -> ServedCampaigns {
    guard json.enter(.object) else { throw JSONFailure(.syntax, "it is no JSON object") }
    while let name = try json.nextName() {
      if name.reads("campaigns") {
        try readCampaigns()
      } else if name.reads("panic") {
        try readPanic()
      } else if name.reads("accountSettings") {
        try keepAccount(try json.value())
      } else if name.reads("extras") {
        try keepAccount(try json.value()["accountSettings"])
      } else {
        _ = try json.value()
      }
    }
    try json.finish()
    return try finish()
  }

  private mutating func readPanic() throws(JSONFailure) {
    let value = try json.value()
    isPanic = value.bool ?? false
    if value.bool == nil, !value.isNull { reading.bad.note("panic", "is no boolean, and taken for false") }
  }

  private mutating func readCampaigns() throws(JSONFailure) {
    compiler.removeAll()
    guard json.enter(.array) else {
      let other = try json.value()
      if !other.isNull { reading.bad.note("campaigns", "are no array") }
      return
    }
    hasCampaigns = true
    var index = 0
    while let node = try json.nextElement() {
      let campaign = isDecided ? reading.decided(node, index: index) : reading.bucketed(node, index: index)
      if let campaign { compiler.add(campaign) }
      index += 1
    }
  }

  private mutating func keepAccount(_ node: JSONNode?) throws(JSONFailure) {
    guard let node, node.object != nil else { return }
    var writer = JSONWriter(wholeDoubles: .withFraction)
    writer.value(node)
    account = writer.bytes
  }

  private mutating func finish() throws(JSONFailure) -> ServedCampaigns {
    reading.bad.finish()
    var finished = CampaignCompiler(isDecided: isDecided)
    swap(&finished, &compiler)
    guard let snapshot = finished.finish(isPanic: isPanic) else {
      throw JSONFailure(.limit, "it is too large, or memory has run out")
    }
    return ServedCampaigns(snapshot: snapshot, isPanic: isPanic, hasCampaigns: hasCampaigns, account: account)
  }
}

extension Snapshot {
  /// No campaigns of a visitor: everything is switched off, or there is no visitor, or none has come for it.
  static func noCampaigns(isPanic: Bool) -> Snapshot? {
    CampaignCompiler(isDecided: true).finish(isPanic: isPanic, isComplete: false)
  }

  /// Of campaigns: names of the flags that are new, gone, or may be decided differently.
  func changedCampaignFlags(since old: Snapshot?) -> [String] {
    changedNames(since: old) { $0.assumingMemoryBound(to: CampaignFlagRecord.self).pointee.fingerprint }
  }
}
