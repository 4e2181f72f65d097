internal import HoistBase

/// Live records: what is still being counted, kept in the store under one id and replaced there, so
/// that the death of the process costs no more than the store's delay. All on the scheduler's thread.
extension EventPipeline {
  /// Keeps `payload` as the present state of the record called `name`; begins it if there is none.
  public func updateLive(_ name: String, _ payload: [UInt8], subject: String = "") {
    abandonInheritance()
    if var record = state.live[name] {
      intake.account(rows: 0, bytes: payload.count - record.row.payload.count)
      record.row.payload = payload
      record.isDirty = true
      state.live[name] = record
    } else {
      let row = EventRow(
        id: UUIDv4(from: entropy).text, pipeline: options.name, subject: subject,
        createdUnixMilliseconds: clock.unixMilliseconds, payload: payload)
      let record = LiveRecord(row: row)
      state.live[name] = record
      intake.account(rows: 1, bytes: record.bytes)
    }
    storeWhenDue()
    armFlushTimer()
  }

  /// The record is complete: it waits to be sent like any other. The next update begins a new one.
  public func sealLive(_ name: String) {
    guard let record = state.live.removeValue(forKey: name) else { return }
    let number = state.rows.newNumber()
    state.rows.append(PipelineRow(row: record.row, isInStore: record.isInStore), number: number)
    if isStoring, record.isDirty { state.unstored.append(number) }
    armFlushTimer()
  }

  /// Forgets the record, as if nothing had been counted.
  public func discardLive(_ name: String) {
    guard let record = state.live.removeValue(forKey: name) else { return }
    intake.account(rows: -1, bytes: -record.bytes)
    if record.isInStore { store.removeEvents(ids: [record.row.id]) }
  }

  /// What the store has of live records may be another process's by now: they go on under new ids.
  func renameLive() {
    for (name, record) in state.live where record.isInStore && !record.isDirty {
      store.removeEvents(ids: [record.row.id])
      state.live[name]?.row.id = UUIDv4(from: entropy).text
      state.live[name]?.isInStore = false
      state.live[name]?.isDirty = true
    }
  }
}
