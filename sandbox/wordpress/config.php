<?php
// wp-config.php of a sandbox site: SQLite, no calls out, cron only when asked for.
define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', '' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', '' );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
define( 'DB_ENGINE', 'sqlite' );
define( 'DB_DIR', __DIR__ . '/wp-content/database/' );
define( 'DB_FILE', '.ht.sqlite' );
foreach ( array( 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ) as $sandbox_key ) {
	define( $sandbox_key . '_KEY', 'sandbox-key-' . $sandbox_key );
	define( $sandbox_key . '_SALT', 'sandbox-salt-' . $sandbox_key );
}
$table_prefix = 'wp_';

// Application passwords over plain http are offered to a 'local' environment only.
define( 'WP_ENVIRONMENT_TYPE', getenv( 'WP_ENVIRONMENT_TYPE' ) ?: 'local' );
define( 'WP_DEBUG', true );
define( 'WP_DEBUG_DISPLAY', false );
define( 'WP_DEBUG_LOG', dirname( __DIR__ ) . '/debug.log' );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'WP_AUTO_UPDATE_CORE', false );
define( 'DISABLE_WP_CRON', true );

define( 'WP_HOME', 'http://' . ( $_SERVER['HTTP_HOST'] ?? '127.0.0.1' ) );
define( 'WP_SITEURL', WP_HOME );
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
