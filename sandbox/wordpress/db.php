<?php
// wp-content/db.php: hands the database to the SQLite driver.
define( 'SQLITE_DB_DROPIN_VERSION', '1.8.0' );
require_once __DIR__ . '/sqlite-driver/wp-includes/sqlite/db.php';
