import Testing
@testable import HoistSQLite
