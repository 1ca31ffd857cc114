<?php
/**
 * Updates from whoever packed this copy of the plugin: offered on the Plugins screen, taken only with their signature.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/**
 * Offers a newer version where the packer's address (the header Update URI) names one that is signed with the packer's key.
 * A person presses; WordPress does the rest. A copy that was packed without an address asks nobody.
 */
final class Updates {

	/** The packer's Ed25519 public key in hexadecimal; written when the plugin is packed. */
	const KEY = '';

	/** What is signed begins with this, so that no other text of the packer's is taken for it. */
	const PURPOSE = "site-ops update v1\n";

	/** Where it stands why the last offer was refused. */
	const REFUSED = 'site_ops_update_refused';

	/** Where it stands that the packer's server did not answer when WordPress last looked; also the code of that error. */
	const UNANSWERED = 'site_ops_update_unanswered';

	/** Hooks itself up where there is an address and a key. */
	public static function start() {
		$host = self::host();
		if ( null === $host ) {
			return;
		}
		add_filter( 'update_plugins_' . $host, array( __CLASS__, 'offer' ), 10, 3 );
		add_filter( 'upgrader_pre_download', array( __CLASS__, 'download' ), 10, 4 );
		add_filter( 'auto_update_plugin', array( __CLASS__, 'by_hand' ), 10, 2 );
		add_action( 'after_plugin_row_' . self::file(), array( __CLASS__, 'show_refused' ) );
	}

	/**
	 * What is known of updates, for the report.
	 *
	 * @return array
	 */
	public static function state() {
		$known   = get_site_transient( 'update_plugins' );
		$offered = is_object( $known ) && isset( $known->response[ self::file() ] ) ? $known->response[ self::file() ] : null;
		$refused = get_site_transient( self::REFUSED );
		return array(
			'host'       => self::host(),
			'offered'    => isset( $offered->new_version ) ? (string) $offered->new_version : null,
			'refused'    => is_string( $refused ) ? $refused : null,
			'unanswered' => is_string( get_site_transient( self::UNANSWERED ) ),
		);
	}

	/**
	 * Answers WordPress, which asks whether there is a newer version.
	 *
	 * @param mixed  $update What others answered.
	 * @param array  $plugin The plugin's header.
	 * @param string $file   The plugin's file.
	 * @return mixed
	 */
	public static function offer( $update, $plugin, $file ) {
		if ( self::file() !== $file ) {
			return $update;
		}
		$offer = self::read( self::address() );
		if ( is_wp_error( $offer ) && self::UNANSWERED === $offer->get_error_code() ) {
			set_site_transient( self::UNANSWERED, $offer->get_error_message(), WEEK_IN_SECONDS );
			return false;
		}
		delete_site_transient( self::UNANSWERED );
		if ( is_wp_error( $offer ) ) {
			set_site_transient( self::REFUSED, $offer->get_error_message(), WEEK_IN_SECONDS );
			return false;
		}
		delete_site_transient( self::REFUSED );
		return array(
			'slug'         => dirname( $file ),
			'version'      => $offer['version'],
			'url'          => self::address(),
			'package'      => $offer['package'],
			'tested'       => $offer['tested'],
			'requires'     => $offer['requires'],
			'requires_php' => $offer['requires_php'],
		);
	}

	/**
	 * Downloads the package of this plugin, and refuses one that is not the signed one.
	 *
	 * @param mixed  $reply    What others answered.
	 * @param string $package  Address of the package.
	 * @param mixed  $upgrader The upgrader.
	 * @param array  $extra    What is upgraded.
	 * @return mixed A file's path, or an error.
	 */
	public static function download( $reply, $package, $upgrader, $extra = array() ) {
		if ( ! isset( $extra['plugin'] ) || self::file() !== $extra['plugin'] ) {
			return $reply;
		}
		$offer = self::read( self::address() );
		if ( is_wp_error( $offer ) ) {
			return $offer;
		}
		if ( $offer['package'] !== $package || ! version_compare( $offer['version'], VERSION, '>' ) ) {
			return self::refused( __( 'What is offered has changed since; look for updates again', 'site-ops' ) );
		}
		$path = download_url( $package );
		if ( is_wp_error( $path ) || hash_equals( $offer['sha256'], (string) hash_file( 'sha256', $path ) ) ) {
			return $path;
		}
		unlink( $path ); // phpcs:ignore WordPress.WP.AlternativeFunctions.unlink_unlink -- the download of a moment ago.
		return self::refused( __( 'The package is not the one that was signed', 'site-ops' ) );
	}

	/**
	 * Keeps WordPress from updating this plugin by itself.
	 *
	 * @param mixed  $auto Whether it would.
	 * @param object $item What is offered.
	 * @return mixed
	 */
	public static function by_hand( $auto, $item ) {
		return isset( $item->plugin ) && self::file() === $item->plugin ? false : $auto;
	}

	/** Says on the Plugins screen that an offer was refused, and why, and that nobody answered. */
	public static function show_refused() {
		$kinds = array(
			self::REFUSED    => 'error',
			self::UNANSWERED => 'warning',
		);
		foreach ( $kinds as $name => $kind ) {
			$text = get_site_transient( $name );
			if ( is_string( $text ) ) {
				printf(
					'<tr class="plugin-update-tr active"><td colspan="4" class="plugin-update colspanchange"><div class="update-message notice inline notice-%s notice-alt"><p>%s</p></div></td></tr>',
					esc_attr( $kind ),
					esc_html( $text )
				);
			}
		}
	}

	/**
	 * What the packer offers, once its signature is checked.
	 *
	 * @param string $address Where it stands.
	 * @return array|WP_Error
	 */
	private static function read( $address ) {
		$options = array(
			'timeout'             => 10,
			'limit_response_size' => 65536,
			'redirection'         => 0,
		);
		$answer  = wp_safe_remote_get( $address, $options );
		if ( is_wp_error( $answer ) || 200 !== wp_remote_retrieve_response_code( $answer ) ) {
			/* translators: %s: name of a server */
			$text = __( 'Nobody knows whether there is an update of Site Ops Companion: %s did not answer.', 'site-ops' );
			return new WP_Error( self::UNANSWERED, sprintf( $text, self::host() ) );
		}
		$told = json_decode( wp_remote_retrieve_body( $answer ), true );
		$text = isset( $told['signed'] ) && is_string( $told['signed'] ) ? $told['signed'] : '';
		$seal = isset( $told['signature'] ) && is_string( $told['signature'] ) ? $told['signature'] : '';
		$sign = 1 === preg_match( '/^[0-9a-f]{128}$/D', $seal ) ? hex2bin( $seal ) : '';
		if ( '' === $sign || ! sodium_crypto_sign_verify_detached( $sign, self::PURPOSE . $text, hex2bin( self::KEY ) ) ) {
			return self::refused( __( 'It is not signed with the key that this plugin was packed with', 'site-ops' ) );
		}
		$offer = json_decode( $text, true );
		foreach ( array( 'plugin', 'version', 'package', 'sha256', 'tested', 'requires', 'requires_php' ) as $name ) {
			if ( ! isset( $offer[ $name ] ) || ! is_string( $offer[ $name ] ) ) {
				return self::refused( __( 'What is signed cannot be read', 'site-ops' ) );
			}
		}
		$same = 0 === strpos( $offer['package'], 'https://' . self::host() . '/' );
		return 'site-ops' === $offer['plugin'] && $same ? $offer : self::refused( __( 'What is signed is not for this plugin', 'site-ops' ) );
	}

	/**
	 * The error of an offer that is not taken.
	 *
	 * @param string $why Why.
	 * @return WP_Error
	 */
	private static function refused( $why ) {
		/* translators: %s: a reason */
		$text = __( 'An update of Site Ops Companion was refused: %s.', 'site-ops' );
		return new WP_Error( 'site_ops_update_refused', sprintf( $text, $why ) );
	}

	/**
	 * The packer's server; null where the plugin was packed without one.
	 *
	 * @return string|null
	 */
	private static function host() {
		if ( 64 !== strlen( self::KEY ) || 0 !== strpos( self::address(), 'https://' ) ) {
			return null;
		}
		return (string) wp_parse_url( self::address(), PHP_URL_HOST );
	}

	/**
	 * The header Update URI.
	 *
	 * @return string
	 */
	private static function address() {
		static $address = null;
		if ( null === $address ) {
			$header  = get_file_data( self::path(), array( 'uri' => 'Update URI' ), 'plugin' );
			$address = $header['uri'];
		}
		return $address;
	}

	/**
	 * The plugin's main file.
	 *
	 * @return string
	 */
	private static function path() {
		return dirname( __DIR__ ) . '/site-ops.php';
	}

	/**
	 * The same as WordPress names it.
	 *
	 * @return string
	 */
	private static function file() {
		return plugin_basename( self::path() );
	}
}
