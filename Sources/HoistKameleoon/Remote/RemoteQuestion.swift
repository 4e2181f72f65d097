public import HoistCore

/// What the Data API can be asked for a visitor (protocols/kameleoon.md 2.7 to 2.9).
public enum RemoteQuestion: Sendable {
  /// `getRemoteVisitorData` (KAM-46). `adds`: whether the visitor gets what comes (KAM-48).
  case visitorData(RemoteVisitorDataFilter, adds: Bool)
  /// `getRemoteData` (KAM-45). nil or empty for the visitor's code.
  case data(key: [UInt8]?)
  /// `getVisitorWarehouseAudience` (KAM-55): nil or empty for the visitor's code; `index` of the custom data that the
  /// audiences become.
  case warehouseAudience(key: [UInt8]?, index: Int64)
}

/// What came of a question.
public struct RemoteAnswer: Sendable {
  /// `.network`, `.timeout`, `.notFound`, `.parse`, `.limit`, `.cancelled` when there are no data.
  public var status: Status
  /// Visitor data, or the one custom data of a warehouse audience; empty otherwise.
  public var data: [VisitorDatum] = []
  /// Remote data as the service keeps them; nil for none.
  public var body: [UInt8]?

  init(_ status: Status) { self.status = status }
  init(data: [VisitorDatum]) { (status, self.data) = (.ok, data) }
  init(body: [UInt8]?) { (status, self.body) = (.ok, body) }
}
